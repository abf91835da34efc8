-- Stores when each sweep last ran, and when it last succeeded. Returns the number of stored rows.
-- p_runs: a list of {name, ran_at, duration_ms, ok}.
create function turnpike.note_sweeps(p_runs jsonb) returns integer language plpgsql as $$
declare
  noted integer;
begin
  insert into sweeps as s (
      name, ran_at, duration_ms, ok, succeeded_at)
  select
      r.name, r.ran_at, r.duration_ms, r.ok, case when r.ok then r.ran_at end
  from jsonb_to_recordset(p_runs) as r(name text, ran_at timestamptz, duration_ms integer, ok boolean)
  -- Concurrent runs lock the rows in the same order, so they cannot deadlock.
  order by r.name
  on conflict (name) do update set ran_at = excluded.ran_at, duration_ms = excluded.duration_ms, ok = excluded.ok,
    succeeded_at = coalesce(excluded.succeeded_at, s.succeeded_at);
  get diagnostics noted = row_count;
  return noted;
end $$;
