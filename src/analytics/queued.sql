-- What is queued of a range's whole days, by day, of each of these spaces and, with a null space_id, of all others together. Few groups, by
-- keys that the planner knows nothing of: it would sort for them.
create function turnpike.queued_days(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (day text, space_id bigint, turns bigint, calls bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint,
  cost_credit_micros bigint, billed_credit_micros bigint, keyed_calls bigint, duration_us bigint) language plpgsql stable
set jit = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    select (u.starts_at at time zone 'UTC')::date::text, u.space_id, u.turns, u.calls, u.tokens_input, u.tokens_cached, u.tokens_output,
      u.cost_credit_micros, u.billed_credit_micros, u.keyed_calls, u.duration_us from (
      select date_bin('1 day', q.ended_at, '2000-01-01 00:00+00') as starts_at,
        case when q.space_id in (select unnest(p_space_ids)) then q.space_id end as space_id,
        turnpike.added(q.turns) as turns, turnpike.added(q.calls) as calls, turnpike.added(q.tokens_input) as tokens_input,
        turnpike.added(q.tokens_cached) as tokens_cached, turnpike.added(q.tokens_output) as tokens_output,
        turnpike.added(q.cost_credit_micros) as cost_credit_micros, turnpike.added(q.billed_credit_micros) as billed_credit_micros,
        turnpike.added(q.keyed_calls) as keyed_calls, turnpike.added(q.duration_us) as duration_us
      from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to group by 1, 2) u;
end $$;

-- The same by hour: what was billed.
create function turnpike.queued_hours(p_from timestamptz, p_to timestamptz, p_space_ids bigint[])
returns table (hour timestamptz, space_id bigint, billed bigint) language plpgsql stable
set jit = off set enable_sort = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
begin
  return query
    select date_bin('1 hour', q.ended_at, '2000-01-01 00:00+00'),
      case when q.space_id in (select unnest(p_space_ids)) then q.space_id end, turnpike.added(q.billed_credit_micros)
    from usage_queue q where q.ended_at >= p_from and q.ended_at < p_to group by 1, 2;
end $$;
