-- Returns what others have asked of these turns: to stop, or to write their text for a reader until a time.
-- Workers look during long model calls (src/runs/running-marks.ts).
create function turnpike.running_marks(p_turn_ids text[])
returns table (turn_id text, is_cancel_asked boolean, stream_until timestamptz)
language plpgsql stable as $$
begin
  return query select t.turn_id, t.cancel_requested_at is not null,
    t.stream_until
    from turns t
    where t.turn_id = any (p_turn_ids);
end $$;
