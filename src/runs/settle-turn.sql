create type turnpike.settled_turn as (
  turn_id text,
  user_id bigint,
  test boolean,
  state text,
  -- Whether another turn of its conversation may begin.
  next boolean,
  -- Whether a webhook gets an event.
  has_subscriber boolean,
  -- Whether there is work for post_charges.
  posts boolean
);

-- Ends a running turn: its last step (if any), state, events, files, charge, ledger row, bills of its usage records (or, of a web-chat
-- turn, its record in api_turns) and the release of its hold. A cancel that was asked for before wins over any outcome. No row when the
-- epoch is stale, or when p_lost_after is given and the turn was not lost so often (a worker that was only slow has committed since).
-- p_files: whether its agent may have made files. Settling again with the same p_event_id
-- has no effect, and answers the same: the answer of the first time was lost.
--
-- The rule of billing, for every end: each committed model call is billed, whatever the turn comes to, since what it gave can be read;
-- nothing is when its result was lost by us (p_lost), unless it was cancelled before. What is not billed then is our loss. A picture
-- is an output whatever the end is.
create function turnpike.settle_turn(p_turn_id text, p_epoch integer, p_state text, p_reason text, p_result text, p_error_code text,
  p_error_message text, p_lost boolean, p_step jsonb, p_events jsonb, p_files boolean, p_lost_after integer, p_event_id text,
  p_moment timestamptz)
returns setof turnpike.settled_turn language plpgsql rows 1 as $$
declare
  paid record;
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  space_maker text;
  cancelled boolean := mine.cancel_requested_at is not null;
  last_cost bigint := coalesce((p_step ->> 'cost')::bigint, 0);
  is_lost boolean := p_lost and not cancelled;
  billed bigint;
  kept jsonb;
  has_subscriber boolean;
  next boolean;
begin
  if mine.turn_id is null then
    return query select * from turnpike.settled_before(p_turn_id, p_epoch, p_event_id, p_moment);
    return;
  end if;
  if (p_lost_after is not null and (mine.attempts < p_lost_after or coalesce(mine.lease_until > p_moment, false))) then
    return;
  end if;
  select s.created_by_key_id into space_maker from spaces s where s.space_id = mine.space_id;
  -- A turn that is accepted into its conversation now is either seen here or sees this one ended.
  if (p_step ->> 'bind')::boolean then
    update conversations c set provider_id = p_step ->> 'account', served_at = p_moment where c.conversation_id = mine.conversation_id;
  else
    perform from conversations c where c.conversation_id = mine.conversation_id for no key update;
  end if;

  billed := case when mine.test or is_lost then 0 else mine.cost_credit_micros + last_cost end;
  if p_lost then
    perform turnpike.add_loss(mine, 'worker_lost', null, p_moment);
  end if;
  if is_lost then
    perform turnpike.add_loss(mine, lower(p_error_code), mine.cost_credit_micros + last_cost, p_moment);
  end if;
  kept := mine.outputs;
  if p_files then
    kept := turnpike.end_files(mine, p_state = 'done' and not cancelled, p_moment);
  end if;
  if mine.model_calls > 0 and mine.key_id is not null then
    update usage u set settled_at = p_moment, billed_credit_micros = case when billed > 0 then u.cost_credit_micros else 0 end
      where u.turn_id = p_turn_id;
  elsif mine.model_calls > 0 then
    update chat_calls c set settled_at = p_moment, billed_credit_micros = case when billed > 0 then c.cost_credit_micros else 0 end
      where c.turn_id = p_turn_id;
  end if;
  if p_step is not null then
    perform turnpike.keep_step(mine, p_step, case when billed > 0 then last_cost else 0 end, p_moment, p_moment);
  end if;
  update turns t set
    state = case when cancelled then 'cancelled' else p_state end,
    status_reason = case when cancelled then coalesce(t.status_reason, 'client') else coalesce(p_reason, p_error_code) end,
    -- The sweeper, which ends a lost turn, does not know what it had said.
    result = case when p_lost and cancelled then turnpike.said_in(p_turn_id) else p_result end,
    truncated = p_state = 'done' and not cancelled and coalesce(p_step ->> 'finish' = 'length', false),
    error_code = case when not cancelled then p_error_code end,
    failed_by_us = is_lost,
    error_message = case when not cancelled then p_error_message end,
    cost_credit_micros = t.cost_credit_micros + last_cost,
    billed_credit_micros = billed,
    model_calls = t.model_calls + case when p_step is null then 0 else 1 end,
    tokens_input = t.tokens_input + coalesce((p_step ->> 'tokens_input')::bigint, 0),
    tokens_cached = t.tokens_cached + coalesce((p_step ->> 'tokens_cached')::bigint, 0),
    tokens_cache_written = t.tokens_cache_written + coalesce((p_step ->> 'tokens_cache_written')::bigint, 0),
    tokens_output = t.tokens_output + coalesce((p_step ->> 'tokens_output')::bigint, 0),
    attempts = case when p_step is null then t.attempts else 0 end,
    model_failures = case when p_step is null then t.model_failures else 0 end,
    held_credit_micros = 0, lease_until = null, finished_at = p_moment, outputs = kept,
    last_event_seq = t.last_event_seq + jsonb_array_length(p_events) + 1
    where t.turn_id = p_turn_id returning t.* into mine;
  delete from open_turns o where o.turn_id = p_turn_id;
  if mine.key_id is null then
    insert into api_turns (turn_id, user_id, space_id, provider, model, model_calls, tokens_input, tokens_cached,
      tokens_cache_written, tokens_output, duration_sec, cost_credit_micros, billed_credit_micros, created_at)
    values (mine.turn_id, mine.user_id, mine.space_id, split_part(mine.model, '/', 1), mine.model, mine.model_calls, mine.tokens_input,
      mine.tokens_cached, mine.tokens_cache_written, mine.tokens_output, greatest(0, extract(epoch from mine.finished_at - mine.started_at)),
      mine.cost_credit_micros, mine.billed_credit_micros, p_moment);
  end if;
  if p_events <> '[]' then
    perform turnpike.write_drafts(p_turn_id, mine.last_event_seq - jsonb_array_length(p_events), p_events);
  end if;
  has_subscriber := turnpike.write_transition(mine, space_maker, p_event_id,
    jsonb_strip_nulls(jsonb_build_object('state', mine.state, 'status_reason', mine.status_reason, 'error_code', mine.error_code,
      'truncated', nullif(mine.truncated, false))), p_moment);
  next := turnpike.next_turn(mine.conversation_id, p_moment);
  select c.* into paid from turnpike.close_hold(mine, billed, mine.hold_credit_micros, p_moment) c;
  return query select mine.turn_id, mine.user_id, mine.test, mine.state, next, has_subscriber or paid.has_subscriber, paid.posts;
end $$;

-- The end that this worker has brought about before, when its answer was lost; no row when it has not.
create function turnpike.settled_before(p_turn_id text, p_epoch integer, p_event_id text, p_moment timestamptz)
returns setof turnpike.settled_turn language plpgsql rows 1 as $$
declare
  ended turns;
begin
  select t.* into ended from turns t where t.turn_id = p_turn_id and t.epoch = p_epoch and t.finished_at is not null;
  if exists (select from turn_events e where e.turn_id = ended.turn_id and e.event_id = p_event_id) then
    -- Whether a webhook hears it, or something is to be posted, is not known any more: a wake too many costs a look.
    return query select ended.turn_id, ended.user_id, ended.test, ended.state,
      turnpike.next_turn(ended.conversation_id, p_moment), true, not ended.test;
  end if;
end $$;

