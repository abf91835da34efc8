-- Moves up to p_limit rows of ended turns from their queue into all rollups and totals, in one transaction: a reader of both counts each
-- turn once at every moment. Returns how many; none while another run does it. Ends anywhere without harm: the rest is still queued.
create function turnpike.roll_turns(p_limit integer) returns integer language plpgsql set enable_seqscan = off set jit = off as $$
declare
  taken turn_ends[];
begin
  -- Two runs would wait for each other's rows, and a mark must not be made meanwhile.
  if not pg_try_advisory_xact_lock(hashtext('roll_turns'), 0) then
    return 0;
  end if;
  with deleted as (
    delete from turn_ends e where e.ctid = any (array(select n.ctid from turn_ends n limit p_limit)) returning e as one
  )
  select array_agg(d.one) into taken from deleted d;
  if taken is not null then
    perform turnpike.add_usage(array(select t from unnest(taken) t where not t.test));
    perform turnpike.add_totals(taken);
  end if;
  return coalesce(cardinality(taken), 0);
end $$;
