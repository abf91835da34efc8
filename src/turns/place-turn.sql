-- The place of a new turn in its conversation, and its rows.

-- The values of a new turn that the request does not contain in asked_turn.
create type turnpike.new_turn as (
  turn_id text,
  event_id text,
  conversation_id text, -- used if the conversation is new
  idempotency_key text,
  request_hash text,
  text text,
  messages jsonb, -- null: it is sent as one text
  -- The caller's tools, how the model may call tools, and whether it may make several calls at a time.
  tools jsonb, -- null: it brings none
  tool_choice jsonb, -- null: the default
  parallel boolean, -- null: the default
  metadata jsonb,
  timeout integer, -- null: the default
  traceparent text, -- null: the turn begins a trace
  tracestate text, -- null: no state
  on_limit text, -- null: the configuration says it
  max_wait integer, -- null: the same
  temperature double precision, -- null: the same
  reasoning text, -- null: the same
  response_format text, -- null: the same
  stop jsonb, -- null: none
  store boolean,
  -- The rates that have counted the turn, and `tokens`, which is kept with it (rated-turn.sql).
  rated jsonb -- null: no rate is known
);

create type turnpike.place as (
  conversation_id text,
  position integer,
  -- The state of the conversation's first open turn.
  first_state text, -- null: no turn is open, or the first one has ended
  -- The turn that waits, so that this one cannot start.
  waits_behind text, -- null: none
  -- When a runner may take the turn.
  wakes_at timestamptz
);

-- Locks the conversation of a new turn, before the caller locks its wallet. A new conversation is deleted again if the
-- turn is refused.
create function turnpike.lock_place(caller turnpike.caller, admission turnpike.admission, p_end_user text,
  p_conversation_id text, p_moment timestamptz) returns void language plpgsql as $$
begin
  insert into conversations (
      conversation_id, space_id, user_id, test, end_user_ref, name, last_position,
      created_at)
  values (
      p_conversation_id, admission.space_id, caller.user_id, caller.test, p_end_user, admission.conversation_name, 0,
      p_moment)
  on conflict do nothing;
  perform from conversations c
    where c.space_id = admission.space_id and c.end_user_ref = p_end_user
    and c.name = admission.conversation_name for no key update;
end $$;

-- Takes the next place in a conversation, whose row numbers its turns in the order of their commits.
create function turnpike.take_place(caller turnpike.caller, admission turnpike.admission, p_end_user text,
  p_conversation_id text, p_moment timestamptz) returns turnpike.place language plpgsql as $$
declare
  place turnpike.place;
begin
  update conversations c set last_position = c.last_position + 1, user_id = caller.user_id, test = caller.test,
    last_turn_at = greatest(c.last_turn_at, p_moment)
    where c.space_id = admission.space_id and c.end_user_ref = p_end_user and c.name = admission.conversation_name
    returning c.conversation_id, c.last_position into place.conversation_id, place.position;
  if not found then
    -- Another request can insert the conversation at the same moment.
    insert into conversations as c (
        conversation_id, space_id, user_id, test, end_user_ref, name,
        last_turn_at, created_at)
    values (
        p_conversation_id, admission.space_id, caller.user_id, caller.test, p_end_user, admission.conversation_name,
        p_moment, p_moment)
    on conflict on constraint conversations_space_id_end_user_ref_name_key do update set last_position = c.last_position
      + 1, user_id = excluded.user_id, test = excluded.test,
      last_turn_at = greatest(c.last_turn_at, excluded.last_turn_at)
    returning c.conversation_id, c.last_position into place.conversation_id, place.position;
  end if;
  place.wakes_at := p_moment;
  -- Two conditions: in one, PostgreSQL would plan the query again for the first turn of each conversation.
  if place.position > 1 then
    select o.state, case o.state when 'waiting' then o.turn_id end into place.first_state, place.waits_behind
      from open_turns o
      where o.conversation_id = place.conversation_id and o.wake_at < 'infinity';
    if found or exists (select from open_turns o where o.conversation_id = place.conversation_id
      and o.wake_at = 'infinity') then
      -- It can start when the turn before it has ended (next_turn).
      place.wakes_at := 'infinity';
    end if;
  end if;
  return place;
end $$;

-- Writes the row of a new turn, and that it is open.
create function turnpike.write_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_new turnpike.new_turn,
  caller turnpike.caller, admission turnpike.admission, place turnpike.place, p_reserved turnpike.reservation,
  p_sale turnpike.sale)
returns turns language plpgsql as $$
declare
  written turns;
  hold bigint := case when caller.test then 0 else p_reserved.amount end;
  rehearsed bigint := case when caller.test and admission.needed is not null then p_reserved.amount end;
begin
  insert into turns as t (
      turn_id, user_id, key_id, member_id, space_id, test,
      request_id, conversation_id, position, end_user_ref, idempotency_key,
      request_hash, text, file_ids, metadata, traceparent, tracestate,
      timeout_seconds, on_limit, max_wait_seconds, max_output_tokens, temperature, reasoning_effort,
      response_format, stop, store,
      message_bytes,
      has_tools, continues_from, model,
      price_version, max_cost_credit_micros, hold_credit_micros, held_credit_micros, rehearsed_hold_credit_micros,
      rehearsed_cost_credit_micros, window_started_at, created_at,
      price_id, end_user_price, rated,
      end_user_hold_credit_micros)
  values (
      p_new.turn_id, caller.user_id, caller.key_id, caller.member_id, admission.space_id, caller.test,
      p_request.request_id, place.conversation_id, place.position, p_asked.end_user, p_new.idempotency_key,
      p_new.request_hash, p_new.text, p_asked.files, p_new.metadata, p_new.traceparent, p_new.tracestate,
      p_new.timeout, p_new.on_limit, p_new.max_wait, p_asked.max_output, p_new.temperature, p_new.reasoning,
      p_new.response_format, p_new.stop, p_new.store,
      greatest(octet_length(p_new.messages::text), case when p_new.messages is not null then p_asked.tokens end),
      coalesce(p_new.tools <> '[]', (admission.open).has_tools, false), (admission.open).begins_at, admission.pin,
      admission.price_version, p_asked.max_cost, hold, hold, rehearsed,
      case when rehearsed is not null then 0 end, p_reserved.window_started_at, p_request.moment,
      (p_sale.price).price_id, turnpike.shown_price(p_sale.price), p_new.rated -> 'counted',
      case when p_sale.prepaid then case when place.first_state = 'waiting' then 0
        else turnpike.sale_hold(p_sale.price, p_reserved.amount) end end)
  returning t.* into written;
  if p_new.messages is not null then
    insert into turn_messages (turn_id, messages) values (written.turn_id, p_new.messages);
  end if;
  if written.has_tools then
    perform turnpike.keep_tools(written.turn_id, p_new, (admission.open).turn_id);
  end if;
  if not p_new.store then
    insert into retention_left (space_id, data, turn_id, look_at)
      values (0, 'unstored', written.turn_id, p_request.moment + interval '10 minutes');
  end if;
  insert into open_turns (
      turn_id, conversation_id, position, user_id, test,
      state, wake_at, created_at,
      lane)
  values (
      written.turn_id, written.conversation_id, written.position, written.user_id, written.test,
      case place.first_state when 'waiting' then 'blocked' else 'queued' end, place.wakes_at, p_request.moment,
      hashtext(written.end_user_ref));
  return written;
end $$;

-- Stores the caller's tools of a turn. A turn with results that brings none has those of the turn before, and makes as
-- many calls at a time.
create function turnpike.keep_tools(p_turn_id text, p_new turnpike.new_turn, p_before text) returns void
language plpgsql as $$
begin
  insert into turn_tools (
      turn_id, tools, choice,
      parallel)
  select
      p_turn_id, coalesce(p_new.tools, o.tools), coalesce(p_new.tool_choice, '"auto"'),
      coalesce(p_new.parallel, case when p_new.tools is null then o.parallel end, true)
  from (select) as new_turn
    left join turn_tools o on o.turn_id = p_before;
end $$;
