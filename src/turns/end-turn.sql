-- How a running turn ends.
create type turnpike.turn_end as (
  turn_id text,
  epoch integer,
  state text,
  reason text, -- null: the state says it
  result text, -- null: no result
  error_code text, -- null: it has not failed
  error_message text, -- null: it has not failed
  -- True if the service has lost its result.
  lost boolean,
  step jsonb, -- null: its last step is committed
  events jsonb,
  -- True if its agent may have made files.
  files boolean,
  -- The turn is ended only if it was lost this many times and no worker holds it.
  lost_after integer, -- null: in any case
  event_id text
);

-- Ends a turn that the caller has locked, except for its hold.
create function turnpike.end_turn(p_turn turns, p_end turnpike.turn_end, p_moment timestamptz) returns turnpike.ended_turn
language plpgsql as $$
declare
  mine turns := p_turn;
  space_maker text;
  cancelled boolean := mine.cancel_requested_at is not null;
  last_cost bigint := coalesce((p_end.step ->> 'cost')::bigint, 0);
  is_lost boolean := p_end.lost and not cancelled;
  billed bigint;
  kept jsonb;
  has_subscriber boolean;
begin
  select s.created_by_key_id into space_maker from spaces s where s.space_id = mine.space_id;
  -- With this lock, a turn that is being accepted into the conversation is seen
  -- here, or its acceptance sees that this one has ended.
  if (p_end.step ->> 'bind')::boolean then
    update conversations c set provider_id = p_end.step ->> 'account', served_at = p_moment where c.conversation_id = mine.conversation_id;
  else
    perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
  end if;

  billed := case when mine.test or is_lost then 0 else mine.cost_credit_micros + last_cost end;
  if p_end.lost then
    perform turnpike.add_loss(mine, 'worker_lost', null, p_moment);
  end if;
  if is_lost then
    perform turnpike.add_loss(mine, lower(p_end.error_code), mine.cost_credit_micros + last_cost, p_moment);
  end if;
  kept := mine.outputs;
  if p_end.files then
    kept := turnpike.end_files(mine, p_end.state = 'done' and not cancelled, p_moment);
  end if;
  if mine.model_calls > 0 then
    update model_calls c set settled_at = p_moment, billed_credit_micros = case when billed > 0 then c.cost_credit_micros else 0 end
      where c.turn_id = mine.turn_id;
  end if;
  if p_end.step is not null then
    perform turnpike.keep_step(mine, p_end.step || jsonb_build_object('events', p_end.events), case when billed > 0 then last_cost else 0 end, p_moment, p_moment);
  end if;
  update turns t set
    state = case when cancelled then 'cancelled' else p_end.state end,
    status_reason = case when cancelled then coalesce(t.status_reason, 'client') else coalesce(p_end.reason, p_end.error_code) end,
    -- The sweep, which ends a lost turn, does not know its text.
    result = case when p_end.lost and cancelled then turnpike.said_in(mine.turn_id) else p_end.result end,
    truncated = p_end.state = 'done' and not cancelled and coalesce(p_end.step ->> 'finish' = 'length', false),
    error_code = case when not cancelled then p_end.error_code end,
    failed_by_us = is_lost,
    error_message = case when not cancelled then p_end.error_message end,
    cost_credit_micros = t.cost_credit_micros + last_cost,
    billed_credit_micros = billed,
    end_user_charge_credit_micros = case when num_nonnulls(mine.price_id, mine.end_user_hold_credit_micros) > 0 then
      turnpike.sale_charge(mine, billed, is_lost or mine.test or (mine.model_calls = 0 and p_end.step is null)) end,
    model_calls = t.model_calls + case when p_end.step is null then 0 else 1 end,
    tokens_input = t.tokens_input + coalesce((p_end.step ->> 'tokens_input')::bigint, 0),
    tokens_cached = t.tokens_cached + coalesce((p_end.step ->> 'tokens_cached')::bigint, 0),
    tokens_cache_written = t.tokens_cache_written + coalesce((p_end.step ->> 'tokens_cache_written')::bigint, 0),
    tokens_output = t.tokens_output + coalesce((p_end.step ->> 'tokens_output')::bigint, 0),
    attempts = case when p_end.step is null then t.attempts else 0 end,
    model_failures = case when p_end.step is null then t.model_failures else 0 end,
    held_credit_micros = 0, lease_until = null, finished_at = p_moment, outputs = kept, waiting = null,
    last_event_seq = t.last_event_seq + jsonb_array_length(p_end.events) + 1
    where t.turn_id = mine.turn_id returning t.* into mine;
  perform turnpike.close_turn(mine);
  if p_turn.waited_ms is not null then
    perform turnpike.forget_wait(mine, p_moment);
  end if;
  if mine.key_id is null then
    insert into api_turns (turn_id, user_id, space_id, provider, model, model_calls, tokens_input, tokens_cached,
      tokens_cache_written, tokens_output, duration_sec, cost_credit_micros, billed_credit_micros, created_at)
    values (mine.turn_id, mine.user_id, mine.space_id, split_part(mine.model, '/', 1), mine.model, mine.model_calls, mine.tokens_input,
      mine.tokens_cached, mine.tokens_cache_written, mine.tokens_output, greatest(0, extract(epoch from mine.finished_at - mine.started_at)),
      mine.cost_credit_micros, mine.billed_credit_micros, p_moment);
  end if;
  if p_end.step is null and p_end.events <> '[]' then
    perform turnpike.write_drafts(mine.turn_id, mine.last_event_seq - jsonb_array_length(p_end.events), p_end.events);
  end if;
  has_subscriber := turnpike.write_transition(mine, space_maker, p_end.event_id,
    jsonb_strip_nulls(jsonb_build_object('status_reason', mine.status_reason, 'error_code', mine.error_code,
      'truncated', nullif(mine.truncated, false))), p_moment);
  return row(mine, billed, turnpike.next_turn(mine.conversation_id, p_moment), has_subscriber)::turnpike.ended_turn;
end $$;
