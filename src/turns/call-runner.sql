-- Whether who has made a turn ready must call a runner: none is about to look, and there may be another one. p_runners: how many there may
-- be. A runner that is giving up its promise is waited for, since it may not have seen that turn.
create function turnpike.needs_runner(p_runners integer, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('runners'), 0);
  return coalesce(not exists (select from runners r where r.looks_until > p_moment)
    and (select count(*) from runners r where r.alive_until > p_moment) < p_runners, false);
end $$;

-- The same where it is not known whether any turn is ready. Turns that were lost p_max_attempts times are the sweeper's.
create function turnpike.lacks_runner(p_runners integer, p_max_attempts integer, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  return turnpike.needs_runner(p_runners, p_moment) and (
    exists (select from open_turns o where o.state = 'queued' and o.wake_at < 'infinity')
    or exists (select from open_turns o join turns t on t.turn_id = o.turn_id
      where o.state = 'running' and o.wake_at <= p_moment and t.attempts < p_max_attempts));
end $$;
