-- Stores a step and its model call. A turn of a web chat, which has no key,
-- is in api_turns once it has ended (docs/contract.md).
-- p_settled_at: the end of the turn if it ends with this step, else null. p_billed: the step's bill then.
-- p_step: {step, agent, subagent, text, content, calls, finish, cost, price, provider, model, tokens_input,
-- tokens_cached, tokens_cache_written, tokens_cache_written_hour,
-- tokens_output, duration_sec, price_version, account, events}.
-- account: the provider account that served it, or null. events: drafts that the turn's log gets with the step.
-- If the tokens cost more (price) than the hold had left (cost), the difference is our loss.
create function turnpike.keep_step(mine turns, p_step jsonb, p_billed bigint, p_settled_at timestamptz, p_moment timestamptz)
returns void language plpgsql as $$
declare
  step integer := p_step ->> 'step';
  agent text := p_step ->> 'agent';
  cost bigint := p_step ->> 'cost';
  role text := case when p_step ->> 'agent' is null then 'orchestrator' else 'subagent' end;
  served_by text;
begin
  insert into turn_steps (turn_id, step, agent, epoch, text, content, pending_calls, finish, cost_credit_micros, created_at, subagent,
    model, tokens_input, events, first_event_seq)
  values (mine.turn_id, step, agent, mine.epoch, p_step ->> 'text', p_step -> 'content', (p_step ->> 'calls')::integer,
    p_step ->> 'finish', cost, p_moment, p_step ->> 'subagent', p_step ->> 'model', (p_step ->> 'tokens_input')::bigint,
    turnpike.packed_drafts(p_step -> 'events'), mine.last_event_seq + 1);
  -- The provider account, else the account's active plan. Two statements, because one expression would be planned
  -- again for each provider account.
  served_by := p_step ->> 'account';
  if served_by is null then
    select b.sub_id::text into served_by from turnpike.active_subscription(mine.user_id, p_moment) b;
  end if;
  insert into model_calls (turn_id, step, user_id, space_id, key_id, end_user_ref, conversation_id, test, provider, subscription_id, model,
    role, subagent, tokens_input, tokens_cached, tokens_cache_written, tokens_cache_written_hour, tokens_output, duration_sec,
    price_version, cost_credit_micros, billed_credit_micros, settled_at, created_at)
  values (mine.turn_id, step, mine.user_id, mine.space_id, mine.key_id, mine.end_user_ref, mine.conversation_id, mine.test,
    p_step ->> 'provider', served_by, p_step ->> 'model', role, p_step ->> 'subagent', (p_step ->> 'tokens_input')::bigint,
    (p_step ->> 'tokens_cached')::bigint, (p_step ->> 'tokens_cache_written')::bigint,
    (p_step ->> 'tokens_cache_written_hour')::bigint, (p_step ->> 'tokens_output')::bigint,
    (p_step ->> 'duration_sec')::double precision, (p_step ->> 'price_version')::integer, cost, p_billed, p_settled_at, p_moment);
  if (p_step ->> 'price')::bigint > cost then
    perform turnpike.add_loss(mine, 'over_hold', (p_step ->> 'price')::bigint - cost, p_moment);
  end if;
  if p_step ->> 'account' is not null then
    perform turnpike.keep_served(mine, p_step, p_settled_at is not null, p_moment);
  end if;
end $$;

-- Stores the facts of a step about the provider account that served it.
-- The steps of one minute write the binding once.
-- p_ends: the end of the turn has already written the binding, because it locks the conversation.
create function turnpike.keep_served(mine turns, p_step jsonb, p_ends boolean, p_moment timestamptz) returns void language plpgsql as $$
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
