-- Turns that were lost p_max_attempts times, those first that nobody has had for longest, and not again those that were tried (p_passed).
create function turnpike.lost_turns(p_max_attempts integer, p_passed jsonb, p_limit integer, p_moment timestamptz)
returns table (turn_id text, epoch integer) language plpgsql as $$
begin
  return query
  select t.turn_id, t.epoch from open_turns o join turns t on t.turn_id = o.turn_id
  where o.state = 'running' and o.wake_at <= p_moment and t.attempts >= p_max_attempts and not p_passed ? t.turn_id
  order by o.wake_at limit p_limit;
end $$;
