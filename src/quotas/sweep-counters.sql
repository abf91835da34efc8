-- Deletes up to p_most counters that started before p_before: of months if
-- p_months, else of days and windows. Returns how many it deleted.
create function turnpike.forget_counters(p_months boolean, p_before timestamptz, p_most integer) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  forgotten integer;
begin
  -- Each branch has its own index.
  if p_months then
    delete from spend_counters
      where ctid = any (array(select c.ctid from spend_counters c
      where c.period = 'month' and c.starts_at < p_before order by c.starts_at limit p_most));
  else
    delete from spend_counters
      where ctid = any (array(select c.ctid from spend_counters c
      where c.period <> 'month' and c.starts_at < p_before order by c.starts_at limit p_most));
  end if;
  get diagnostics forgotten = row_count;
  delete from spend_counter_shards
    where ctid = any (array(select s.ctid from spend_counter_shards s
    where s.starts_at < p_before and (s.period = 'month') = p_months order by s.starts_at limit p_most));
  return forgotten;
end $$;
