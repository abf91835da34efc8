-- Returns the usage of all turns that ended in a range, and the refunds that were booked in it, in one row.
-- Whole hours are read from the rollup and the queue, cut hours from raw records.
-- p_brand: null for the accounts of all brands.
create function turnpike.range_total(p_from timestamptz, p_to timestamptz, p_brand text, out turns bigint,
  out calls bigint, out tokens_input bigint, out tokens_cached bigint, out tokens_output bigint,
  out cost_credit_micros bigint, out billed_credit_micros bigint, out refunded_credit_micros bigint)
language plpgsql stable
set jit = off set plan_cache_mode = force_generic_plan as $$
#variable_conflict use_column
declare
  first_hour timestamptz := date_trunc('hour', p_from + interval '1 hour' - interval '1 microsecond', 'UTC');
  last_hour timestamptz := greatest(date_trunc('hour', p_to, 'UTC'), least(first_hour, p_to));
  head_until timestamptz := least(first_hour, p_to);
begin
  select coalesce(turnpike.added(u.turns), 0), coalesce(turnpike.added(u.calls), 0),
    coalesce(turnpike.added(u.tokens_input), 0), coalesce(turnpike.added(u.tokens_cached), 0),
    coalesce(turnpike.added(u.tokens_output), 0), coalesce(turnpike.added(u.cost_credit_micros), 0),
    coalesce(turnpike.added(u.billed_credit_micros), 0), coalesce(turnpike.added(u.refunded_credit_micros), 0)
    into turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros, billed_credit_micros,
      refunded_credit_micros
    from (
    select {{rollups.measures h}}
    from usage_hours h
    where h.hour >= first_hour and h.hour < last_hour and (p_brand is null or h.brand = p_brand)
    union all
    select {{rollups.measures q}}
    from usage_queue q
    where q.ended_at >= first_hour and q.ended_at < last_hour and {{rollups.ofBrand q.user_id}}
    union all
    select {{rollups.measures w}}
    from turnpike.raw_usage(p_from, head_until) w
    where p_from < head_until and {{rollups.ofBrand w.user_id}}
    union all
    select {{rollups.measures w}}
    from turnpike.raw_usage(last_hour, p_to) w
    where last_hour < p_to and {{rollups.ofBrand w.user_id}}
  ) u;
end $$;
