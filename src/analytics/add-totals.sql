-- Adds rows of ended live turns and of refunds to the totals of days.
create function turnpike.add_service_days(p_taken turn_ends[]) returns void language plpgsql as $$
begin
  insert into service_days as r (
      day, state, turns, cost_credit_micros,
      billed_credit_micros, refunded_credit_micros)
    select
      (t.ended_at at time zone 'UTC')::date, t.state, sum(t.turns), sum(t.cost_credit_micros),
      sum(t.billed_credit_micros), sum(t.refunded_credit_micros)
    from unnest(p_taken) t
    where not t.test
    group by 1, 2
    on conflict (day, state) do update set turns = r.turns + excluded.turns,
      cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      refunded_credit_micros = r.refunded_credit_micros + excluded.refunded_credit_micros;
end $$;

-- Adds rows of ended turns to the totals of days, spaces, subscriptions and members of pools.
-- Hash and merge joins are off: the calls of each turn are looked up once, even if the plan is from empty tables.
create function turnpike.add_totals(p_taken turn_ends[]) returns void
language plpgsql set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off as $$
begin
  perform turnpike.add_service_days(p_taken);
  with taken as materialized (
    -- Without refunds.
    select t.* from unnest(p_taken) t where t.refunded_credit_micros = 0
  ), totals as (
    insert into space_totals as r (
        space_id, turns, billed_credit_micros, last_ended_at)
    select
        t.space_id, sum(t.turns), sum(t.billed_credit_micros), max(t.ended_at)
    from taken t
    group by t.space_id
    on conflict (space_id) do update set turns = r.turns + excluded.turns,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      last_ended_at = greatest(r.last_ended_at, excluded.last_ended_at)
  ), people as (
    insert into space_people as r (
        space_id, user_id, end_user_ref, turns, tokens_input, tokens_cached,
        tokens_output, billed_credit_micros, last_ended_at)
    select
        t.space_id, t.writer_id, t.end_user_ref, sum(t.turns), sum(t.tokens_input), sum(t.tokens_cached),
        sum(t.tokens_output), sum(t.billed_credit_micros), max(t.ended_at)
    from taken t
    group by t.space_id, t.writer_id, t.end_user_ref
    on conflict (space_id, user_id, end_user_ref) do update set turns = r.turns + excluded.turns,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      last_ended_at = greatest(r.last_ended_at, excluded.last_ended_at)
  ), subscribed as materialized (
    select v.* from taken t cross join lateral turnpike.subscribed_calls(t.turn_id) v where t.turns = 1
  ), subscriptions as (
    insert into subscription_days as r (day, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output,
      billed_credit_micros)
    select (v.settled_at at time zone 'UTC')::date, v.subscription_id, count(*), sum(v.tokens_input),
      sum(v.tokens_cached), sum(v.tokens_output), sum(v.billed_credit_micros)
    from subscribed v
    group by 1, 2
    on conflict (day, subscription_id) do update set model_calls = r.model_calls + excluded.model_calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros
  ), served as (
    -- The sub_id of a plan has only digits. All other ids are members of pools.
    select v.* from subscribed v where v.subscription_id !~ '^[0-9]+$'
  ), member_hours as (
    insert into account_hours as r (hour, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros, last_call_at)
    select date_trunc('hour', v.settled_at, 'UTC'), v.subscription_id, count(*), sum(v.tokens_input),
      sum(v.tokens_cached), sum(v.tokens_output), sum(v.cost_credit_micros), sum(v.billed_credit_micros),
      max(v.called_at)
    from served v
    group by 1, 2
    on conflict (subscription_id, hour) do update set model_calls = r.model_calls + excluded.model_calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output,
      cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      last_call_at = greatest(r.last_call_at, excluded.last_call_at)
  ), member_days as (
    insert into account_days as r (day, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output,
      cost_credit_micros, billed_credit_micros, last_call_at)
    select (v.settled_at at time zone 'UTC')::date, v.subscription_id, count(*), sum(v.tokens_input),
      sum(v.tokens_cached), sum(v.tokens_output), sum(v.cost_credit_micros), sum(v.billed_credit_micros),
      max(v.called_at)
    from served v
    group by 1, 2
    on conflict (subscription_id, day) do update set model_calls = r.model_calls + excluded.model_calls,
      tokens_input = r.tokens_input + excluded.tokens_input, tokens_cached = r.tokens_cached + excluded.tokens_cached,
      tokens_output = r.tokens_output + excluded.tokens_output,
      cost_credit_micros = r.cost_credit_micros + excluded.cost_credit_micros,
      billed_credit_micros = r.billed_credit_micros + excluded.billed_credit_micros,
      last_call_at = greatest(r.last_call_at, excluded.last_call_at)
  )
  insert into space_sessions as r (space_id, agent, model, tokens_input, turn_id, step, called_at)
  select distinct on (t.space_id, coalesce(p.subagent, '')) t.space_id, coalesce(p.subagent, ''), p.model,
    p.tokens_input, p.turn_id, p.step, p.created_at
  from taken t
    join turn_steps p on p.turn_id = t.turn_id
  where t.turns = 1 and p.tokens_input is not null
  order by t.space_id, coalesce(p.subagent, ''), p.created_at desc, p.turn_id collate "C" desc, p.step desc
  on conflict (space_id, agent) do update set model = excluded.model, tokens_input = excluded.tokens_input,
    turn_id = excluded.turn_id, step = excluded.step, called_at = excluded.called_at
    where (excluded.called_at, excluded.turn_id collate "C", excluded.step)
      > (r.called_at, r.turn_id collate "C", r.step);
end $$;
