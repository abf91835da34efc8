-- Makes the tokens of space_hours, user_hours, model_hours and provider_hours of the latest hour which they do not have whole (usage_hours:
-- broken_down): from raw records, less what is still queued of it. False when there is no such hour, or another run rolls.
create function turnpike.break_down_hour() returns boolean language plpgsql set jit = off as $$
declare
  due timestamptz;
begin
  -- Nothing is rolled meanwhile, by a roller of no release. So raw records less the queue, in one snapshot, are what is rolled.
  if not pg_try_advisory_xact_lock(hashtext('roll_usage'), 0) then
    return false;
  end if;
  select h.hour into due from usage_hours h where h.broken_down <> h.turns + h.calls order by h.hour desc limit 1;
  if due is null then
    return false;
  end if;
  with rolled as materialized (
    select r.user_id, r.space_id, r.model, r.provider_key, r.turns, r.calls, r.tokens_input, r.tokens_cached, r.tokens_output,
      r.cost_credit_micros, r.billed_credit_micros
    from turnpike.raw_usage(due, due + interval '1 hour') r
    union all
    -- A roller may have taken only some rows of a turn.
    select q.user_id, q.space_id, q.model, q.provider_key, -q.turns, -q.calls, -q.tokens_input, -q.tokens_cached, -q.tokens_output,
      -q.cost_credit_micros, -q.billed_credit_micros
    from usage_queue q where q.ended_at >= due and q.ended_at < due + interval '1 hour'
  ), spaces as (
    update space_hours h set tokens_input = s.tokens_input, tokens_cached = s.tokens_cached, tokens_output = s.tokens_output
    from (select r.space_id, sum(r.tokens_input) as tokens_input, sum(r.tokens_cached) as tokens_cached, sum(r.tokens_output) as tokens_output
      from rolled r group by 1) s
    where h.space_id = s.space_id and h.hour = due
  ), users as (
    insert into user_hours (user_id, hour, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select r.user_id, due, sum(r.turns), sum(r.calls), sum(r.tokens_input), sum(r.tokens_cached), sum(r.tokens_output),
      sum(r.cost_credit_micros), sum(r.billed_credit_micros)
    from rolled r group by 1 having sum(r.turns + r.calls) <> 0
    on conflict (user_id, hour) do update set turns = excluded.turns, calls = excluded.calls, tokens_input = excluded.tokens_input,
      tokens_cached = excluded.tokens_cached, tokens_output = excluded.tokens_output,
      cost_credit_micros = excluded.cost_credit_micros, billed_credit_micros = excluded.billed_credit_micros
  ), models as (
    insert into model_hours (hour, model, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select due, r.model, sum(r.turns), sum(r.calls), sum(r.tokens_input), sum(r.tokens_cached), sum(r.tokens_output),
      sum(r.cost_credit_micros), sum(r.billed_credit_micros)
    from rolled r group by 2 having sum(r.turns + r.calls) <> 0
    on conflict (hour, model) do update set turns = excluded.turns, calls = excluded.calls, tokens_input = excluded.tokens_input,
      tokens_cached = excluded.tokens_cached, tokens_output = excluded.tokens_output,
      cost_credit_micros = excluded.cost_credit_micros, billed_credit_micros = excluded.billed_credit_micros
  ), providers as (
    insert into provider_hours (hour, provider_key, turns, calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
      billed_credit_micros)
    select due, r.provider_key, sum(r.turns), sum(r.calls), sum(r.tokens_input), sum(r.tokens_cached), sum(r.tokens_output),
      sum(r.cost_credit_micros), sum(r.billed_credit_micros)
    from rolled r group by 2 having sum(r.turns + r.calls) <> 0
    on conflict (hour, provider_key) do update set turns = excluded.turns, calls = excluded.calls, tokens_input = excluded.tokens_input,
      tokens_cached = excluded.tokens_cached, tokens_output = excluded.tokens_output,
      cost_credit_micros = excluded.cost_credit_micros, billed_credit_micros = excluded.billed_credit_micros
  )
  -- Where raw records disagree with the hour, reconciliation names it; null keeps this from trying again, and everyone from reading it.
  update usage_hours h set broken_down = case when h.turns + h.calls = (select coalesce(sum(r.turns + r.calls), 0) from rolled r)
    then h.turns + h.calls end
  where h.hour = due;
  return true;
end $$;
