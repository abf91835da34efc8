-- Returns the usage of turns that ended in a span, and the refunds that were booked in it, from raw records. It is for
-- short spans only.
-- Its rows are like the rows of usage_queue, but there is one for each call.
-- A turn has one space and one account. Both are in the
-- partitions, so that filters on them apply before the numbering.
create function turnpike.raw_usage(p_from timestamptz, p_to timestamptz)
returns table (ended_at timestamptz, user_id bigint,
  space_id bigint, tokens_input bigint, tokens_cached bigint, tokens_output bigint, tokens_reasoning bigint,
  tokens_input_most bigint, cost_credit_micros bigint, billed_credit_micros bigint, refunded_credit_micros bigint,
  duration_us bigint, calls integer, keyed_calls integer, pictures integer, turns integer, pooled boolean,
  provider_key text, role text, model text, turn_id text, key_id text) language sql stable as $$
  select c.settled_at, c.user_id, c.space_id, c.tokens_input, c.tokens_cached, c.tokens_output,
    coalesce(c.tokens_reasoning, 0), c.tokens_input,
    coalesce(c.provider_credit_micros, c.cost_credit_micros), c.billed_credit_micros, 0,
    case when c.chat then 0 else (c.duration_sec * 1e6)::bigint end, 1, (not c.chat)::integer,
    (c.call is not null)::integer,
    (row_number() over (partition by c.turn_id, c.space_id, c.user_id order by c.step, c.call is not null,
      c.role) = 1)::integer, coalesce(c.subscription_id !~ '^[0-9]+$', false),
    case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end, c.role, c.model, c.turn_id,
    coalesce(c.key_id, '')
  from model_calls c
  where c.settled_at >= p_from and c.settled_at < p_to and not c.test
  union all
  select t.finished_at, t.user_id, t.space_id, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, false,
    split_part(t.model, '/', 1), 'orchestrator', t.model, t.turn_id, coalesce(t.key_id, '')
  from ended_turns e
    join turns t on t.turn_id = e.turn_id
  where e.finished_at >= p_from and e.finished_at < p_to and e.model_calls = 0 and not e.test
  union all
  select e.refunded_at, e.user_id, e.space_id, 0, 0, 0, 0, 0, 0, 0, c.billed_credit_micros, 0, 0, 0, 0, 0,
    coalesce(c.subscription_id !~ '^[0-9]+$', false),
    case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end, c.role, c.model, e.turn_id,
    coalesce(e.key_id, '')
  from refunded_turns e
    join model_calls c on c.turn_id = e.turn_id
  where e.refunded_at >= p_from and e.refunded_at < p_to and c.billed_credit_micros <> 0
  union all
  select e.refunded_at, e.user_id, e.space_id, 0, 0, 0, 0, 0, 0, 0, e.refunded_credit_micros - e.billed_credit_micros,
    0, 0, 0, 0, 0, false, split_part(e.model, '/', 1), 'orchestrator', e.model, e.turn_id,
    coalesce(e.key_id, '')
  from refunded_turns e
  where e.refunded_at >= p_from and e.refunded_at < p_to and e.refunded_credit_micros <> e.billed_credit_micros
$$;
