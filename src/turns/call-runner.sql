-- Whether who has made a turn ready must call a runner: none is about to look, and there may be another one. p_runners: how many there may
-- be. A runner that is giving up its promise is waited for, since it may not have seen that turn.
create function turnpike.needs_runner(p_runners integer, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(hashtext('runners'), 0);
  return coalesce(not exists (select from runners r where r.looks_until > p_moment)
    and (select count(*) from runners r where r.alive_until > p_moment) < p_runners, false);
end $$;
