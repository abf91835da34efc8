-- Returns turns that were lost p_max_attempts times, the one that has been without a worker for longest first.
-- Turns in p_passed were already tried and are skipped.
create function turnpike.lost_turns(p_max_attempts integer, p_passed jsonb, p_limit integer, p_moment timestamptz)
returns table (turn_id text, epoch integer) language plpgsql as $$
begin
  return query
  select t.turn_id, t.epoch
  from open_turns o
    join turns t on t.turn_id = o.turn_id
  where o.state = 'running' and o.wake_at <= p_moment and t.attempts >= p_max_attempts and not p_passed ? t.turn_id
  order by o.wake_at limit p_limit;
end $$;
