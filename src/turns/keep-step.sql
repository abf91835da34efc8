-- A step with its model call.
create type turnpike.new_step as (
  -- The turn before the step.
  turn turns,
  -- {step, agent, subagent, text, content, calls, finish, cost, price, provider_cost (absent: cost), provider, model,
  -- duration_sec, price_version, modifiers (absent: none), response_id (absent: none), account, and the counts of the
  -- call (src/agent/token-names.ts)}. account: the provider account that served it, or null.
  step jsonb,
  -- The drafts that the turn's log gets with the step.
  events jsonb,
  billed bigint,
  -- The end of the turn.
  settled_at timestamptz -- null: it does not end with this step
);

-- Stores steps and their model calls, at most one of each turn. A turn of a web chat, which has no key, is in
-- api_turns once it has ended (docs/contract.md).
-- The cost of a call of a test turn is a rehearsed one: the call costs nothing.
-- If the tokens cost more (price) than the hold had left (cost), the difference is our loss.
create function turnpike.keep_steps(p_steps turnpike.new_step[], p_moment timestamptz) returns void
language plpgsql as $$
declare
  one turnpike.new_step;
begin
  insert into turn_steps (
      turn_id, step, agent, epoch, text,
      content, pending_calls, finish,
      cost_credit_micros, created_at, subagent,
      model, tokens_input, events,
      first_event_seq)
  select
      (s.turn).turn_id, (s.step ->> 'step')::integer, s.step ->> 'agent', (s.turn).epoch, s.step ->> 'text',
      s.step -> 'content', (s.step ->> 'calls')::integer, s.step ->> 'finish',
      case when (s.turn).test then 0 else (s.step ->> 'cost')::bigint end, p_moment, s.step ->> 'subagent',
      s.step ->> 'model', (s.step ->> 'tokens_input')::bigint, turnpike.packed_drafts(s.events),
      (s.turn).last_event_seq + 1
  from unnest(p_steps) s;
  -- served by: the provider account, else the account's active plan.
  insert into model_calls (
      turn_id, step, user_id, space_id, key_id,
      end_user_ref, conversation_id, test, provider,
      subscription_id,
      model,
      role,
      subagent, {{prices.countNames}}, duration_sec,
      price_version, modifiers, response_id,
      cost_credit_micros,
      provider_credit_micros,
      billed_credit_micros,
      rehearsed_credit_micros, settled_at,
      created_at)
  select
      (s.turn).turn_id, (s.step ->> 'step')::integer, (s.turn).user_id, (s.turn).space_id, (s.turn).key_id,
      (s.turn).end_user_ref, (s.turn).conversation_id, (s.turn).test, s.step ->> 'provider',
      coalesce(s.step ->> 'account',
        (select b.sub_id::text from turnpike.active_subscription((s.turn).user_id, p_moment) b)),
      s.step ->> 'model',
      case when s.step ->> 'agent' is null then 'orchestrator' when s.step ->> 'agent' like 'summary:%' then 'summary'
        else 'subagent' end,
      s.step ->> 'subagent', {{prices.countsOfJson s.step}}, (s.step ->> 'duration_sec')::double precision,
      (s.step ->> 'price_version')::integer, s.step -> 'modifiers', s.step ->> 'response_id',
      case when (s.turn).test then 0 else (s.step ->> 'cost')::bigint end,
      case when not (s.turn).test then nullif((s.step ->> 'provider_cost')::bigint, (s.step ->> 'cost')::bigint) end,
      case when (s.turn).test then 0 else s.billed end,
      case when (s.turn).rehearsed_hold_credit_micros is not null then (s.step ->> 'cost')::bigint end, s.settled_at,
      p_moment
  from unnest(p_steps) s;
  foreach one in array p_steps loop
    if (one.step ->> 'price')::bigint > (one.step ->> 'cost')::bigint then
      perform turnpike.add_loss(one.turn, 'over_hold', (one.step ->> 'price')::bigint - (one.step ->> 'cost')::bigint,
        p_moment);
    end if;
    if one.step ->> 'account' is not null then
      perform turnpike.keep_served(one.turn, one.step, one.settled_at is not null, p_moment);
    end if;
  end loop;
end $$;

-- Stores the facts of a step about the provider account that served it.
-- The steps of one minute write the binding once.
-- p_ends: the end of the turn has already written the binding, because it locks the conversation.
create function turnpike.keep_served(mine turns, p_step jsonb, p_ends boolean, p_moment timestamptz) returns void
language plpgsql as $$
begin
  if (p_step ->> 'bind')::boolean and not p_ends then
    update conversations c set provider_id = p_step ->> 'account', served_at = p_moment
      where c.conversation_id = mine.conversation_id
        and (c.provider_id = p_step ->> 'account' and c.served_at > p_moment - interval '1 minute') is not true;
  end if;
  if p_step -> 'windows' <> 'null' then
    perform turnpike.note_windows(p_step ->> 'account', p_step -> 'windows', p_moment);
  end if;
  if (p_step ->> 'probe')::boolean then
    perform turnpike.end_probe(p_step ->> 'account', p_moment);
  end if;
end $$;

-- The entry of turn_steps.result_tokens for a call's token.
create function turnpike.result_token(p_call integer, p_token text) returns text language sql immutable as $$
  select p_call::text || ' ' || encode(sha256(convert_to(p_token, 'UTF8')), 'hex')
$$;
