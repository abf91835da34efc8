-- Writes the row of a runner. The caller has locked the runner.
-- p_alive_until: until when it counts as alive. p_looks_until: until when
-- others may rely on it to look; null: they may not.
-- Writes nothing while more than half of both times is left.
create function turnpike.note_runner(p_runner_id text, p_alive_until timestamptz, p_looks_until timestamptz,
  p_moment timestamptz) returns void
language plpgsql as $$
declare
  known runners;
begin
  select r.* into known from runners r where r.runner_id = p_runner_id;
  if known.runner_id is null then
    insert into runners (runner_id, alive_until, looks_until) values (p_runner_id, p_alive_until, p_looks_until);
  elsif coalesce(p_looks_until is null or known.looks_until < p_moment + (p_looks_until - p_moment) / 2
    or known.alive_until < p_moment + (p_alive_until - p_moment) / 2, true)
  then
    update runners r set alive_until = p_alive_until, looks_until = p_looks_until where r.runner_id = p_runner_id;
  end if;
end $$;
