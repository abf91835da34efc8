-- Returns for each of these turns whether it was asked to stop.
-- Workers ask during long model calls (src/runs/cancels-asked.ts).
create function turnpike.cancels_asked(p_turn_ids text[]) returns table (turn_id text, is_asked boolean) language plpgsql stable as $$
begin
  return query select t.turn_id, t.cancel_requested_at is not null from turns t where t.turn_id = any (p_turn_ids);
end $$;
