-- Deletes up to p_limit Idempotency-Keys created at or before p_before, and returns their number.
create function turnpike.forget_idempotency_keys(p_before timestamptz, p_limit integer) returns integer
language plpgsql set enable_seqscan = off set jit = off as $$
declare
  forgotten integer;
begin
  delete from idempotency_keys i
    where i.ctid = any (array(
    select o.ctid from idempotency_keys o where o.created_at <= p_before order by o.created_at limit p_limit));
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
