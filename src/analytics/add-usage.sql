-- Adds rows of ended live turns to the rollups of analytics.
create function turnpike.add_usage(p_taken turn_ends[]) returns void language plpgsql set enable_seqscan = off set jit = off as $$
begin
  with taken as materialized (
    select t.*, date_trunc('hour', t.ended_at, 'UTC') as hour, (t.ended_at at time zone 'UTC')::date as day from unnest(p_taken) t
  ), hours as (
    insert into usage_hours as r (hour, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros, keyed_calls, duration_us, tokens_input_most)
    select t.hour, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros), sum(t.keyed_calls), sum(t.duration_us), max(t.tokens_input_most)
    from taken t group by 1
    on conflict (hour) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros, keyed_calls = r.keyed_calls + excluded.keyed_calls,
      duration_us = r.duration_us + excluded.duration_us, tokens_input_most = greatest(r.tokens_input_most, excluded.tokens_input_most)
  ), models as (
    insert into model_days as r (day, model, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.day, t.model, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from taken t group by 1, 2
    on conflict (day, model) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), providers as (
    insert into provider_days as r (day, provider_key, pooled, role, turns, calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros, pictures)
    select t.day, t.provider_key, t.pooled, t.role, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached),
      sum(t.tokens_output), sum(t.cost_credit_micros), sum(t.billed_credit_micros), sum(t.pictures)
    from taken t group by 1, 2, 3, 4
    on conflict (day, provider_key, pooled, role) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros, pictures = r.pictures + excluded.pictures
  ), hours_of_spaces as (
    insert into space_hours as r (space_id, hour, turns, calls, cost_credit_micros, billed_credit_micros, tokens_input, tokens_cached,
      tokens_output)
    select t.space_id, t.hour, sum(t.turns), sum(t.calls), sum(t.cost_credit_micros), sum(t.billed_credit_micros), sum(t.tokens_input),
      sum(t.tokens_cached), sum(t.tokens_output)
    from taken t group by 1, 2
    on conflict (space_id, hour) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros, tokens_input = r.tokens_input + excluded.tokens_input,
      tokens_cached = r.tokens_cached + excluded.tokens_cached, tokens_output = r.tokens_output + excluded.tokens_output
  ), hours_of_users as (
    insert into user_hours as r (user_id, hour, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.user_id, t.hour, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from taken t group by 1, 2
    on conflict (user_id, hour) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), hours_of_models as (
    insert into model_hours as r (hour, model, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.hour, t.model, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from taken t group by 1, 2
    on conflict (hour, model) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), hours_of_providers as (
    insert into provider_hours as r (hour, provider_key, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.hour, t.provider_key, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from taken t group by 1, 2
    on conflict (hour, provider_key) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), spaces as (
    insert into space_days as r (day, space_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros, keyed_calls, duration_us, tokens_input_most, pictures)
    select t.day, t.space_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros), sum(t.keyed_calls), sum(t.duration_us), max(t.tokens_input_most),
      sum(t.pictures)
    from taken t group by 1, 2
    on conflict (day, space_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros, keyed_calls = r.keyed_calls + excluded.keyed_calls,
      duration_us = r.duration_us + excluded.duration_us, pictures = r.pictures + excluded.pictures,
      tokens_input_most = greatest(r.tokens_input_most, excluded.tokens_input_most)
  ), users as (
    insert into user_days as r (day, user_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros, keyed_calls, duration_us)
    select t.day, t.user_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros), sum(t.keyed_calls), sum(t.duration_us)
    from taken t group by 1, 2
    on conflict (day, user_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros, keyed_calls = r.keyed_calls + excluded.keyed_calls,
      duration_us = r.duration_us + excluded.duration_us
  ), provider_spaces as (
    insert into provider_space_days as r (day, provider_key, space_id, turns, calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros)
    select t.day, t.provider_key, t.space_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached),
      sum(t.tokens_output), sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from taken t group by 1, 2, 3
    on conflict (day, provider_key, space_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), before as materialized (
    -- Late rows also belong to the sums of all later marks.
    select t.*, m.until from taken t join (select u.until from usage_marks u union all select 'infinity') m on m.until > t.day
  ), sums_of_spaces as (
    insert into space_sums as r (until, space_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.until, t.space_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from before t group by 1, 2
    on conflict (until, space_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), sums_of_users as (
    insert into user_sums as r (until, user_id, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select t.until, t.user_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
      sum(t.cost_credit_micros), sum(t.billed_credit_micros)
    from before t group by 1, 2
    on conflict (until, user_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  )
  insert into provider_space_sums as r (until, provider_key, space_id, turns, calls, tokens_input, tokens_cached, tokens_output,
    cost_credit_micros, billed_credit_micros)
  select t.until, t.provider_key, t.space_id, sum(t.turns), sum(t.calls), sum(t.tokens_input), sum(t.tokens_cached),
    sum(t.tokens_output), sum(t.cost_credit_micros), sum(t.billed_credit_micros)
  from before t group by 1, 2, 3
  on conflict (until, provider_key, space_id) do update set turns = r.turns + excluded.turns, calls = r.calls + excluded.calls,
    tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
    tokens_output = r.tokens_output + excluded.tokens_output, cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
    billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros;
end $$;
