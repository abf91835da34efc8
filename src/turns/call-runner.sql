-- Returns true if the caller, which has made a turn ready, must call a runner: no runner is about to look, and fewer
-- than p_runners are alive. Waits for a runner that is giving up its promise: its last look may have missed the turn.
create function turnpike.needs_runner(p_runners integer, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('runners'), 0);
  return coalesce(not exists (select from runners r where r.looks_until > p_moment)
    and (select count(*) from runners r where r.alive_until > p_moment) < p_runners, false);
end $$;
