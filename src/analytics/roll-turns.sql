-- Moves up to p_limit rows of ended turns from their queue into all rollups and totals, in one transaction.
-- So a reader of rollup and queue counts each turn exactly once at every moment.
-- Returns the number of rows, or 0 while another run is rolling up. If it is interrupted, all rows stay queued.
create function turnpike.roll_turns(p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  taken turn_ends[];
begin
  -- Two runs would wait for each other's rows. The lock also keeps mark_usage from making a mark in the meantime.
  if not pg_try_advisory_xact_lock(hashtext('roll_turns'), 0) then
    return 0;
  end if;
  with deleted as (
    delete from turn_ends e
      where e.ctid = any (array(select n.ctid from turn_ends n limit p_limit))
      returning e as one
  )
  select array_agg(d.one) into taken
  from deleted d;
  if taken is not null then
    perform turnpike.add_usage(array(select t from unnest(taken) t where not t.test));
    perform turnpike.add_totals(taken);
    perform turnpike.add_end_users(taken);
  end if;
  return coalesce(cardinality(taken), 0);
end $$;
