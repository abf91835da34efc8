-- Records a failure of a container, a delegation or a model call. p_details, p_said: the provider's words for owners
-- and for operators; null: none.
create function turnpike.note_infrastructure_error(p_kind text, p_name text, p_code text, p_turn_id text,
  p_details jsonb, p_said text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  insert into infrastructure_errors (kind, name, code, turn_id, details, said, created_at)
    values (p_kind, p_name, p_code, p_turn_id, p_details, p_said, p_moment);
  return true;
end $$;

-- Deletes failures and billed container calls from before p_until, at most p_limit of each. Returns both numbers.
create function turnpike.sweep_infrastructure(p_until timestamptz, p_limit integer, out errors integer,
  out calls integer)
language plpgsql set enable_seqscan = off set jit = off as $$
begin
  delete from infrastructure_errors e
    where e.error_id = any (array(
    select o.error_id
      from infrastructure_errors o
      where o.created_at < p_until
      order by o.created_at limit p_limit));
  get diagnostics errors = row_count;
  delete from error_days d where d.day < (p_until at time zone 'UTC')::date and d.failures = 0;
  delete from container_calls c
    where c.call_id = any (array(
    select o.call_id from container_calls o where o.billed_at < p_until order by o.billed_at limit p_limit));
  get diagnostics calls = row_count;
end $$;
