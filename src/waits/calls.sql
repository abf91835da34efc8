-- A call that a caller asks about: the turn's row is locked, and the caller may see it.
create type turnpike.asked_call as (
  -- Null: the caller sees no such turn.
  turn turns, -- null
  slug text, -- null
  -- Null: the turn has no such call that waits or has waited.
  call turn_calls -- null
);

-- Finds a call of a turn for a caller and locks the turn. p_decides: the caller must be allowed to decide about calls:
-- its owner, a key in the scope of the space, or an admin of the workspace that shares the space.
-- refused: 'role' if the caller sees the turn and may not decide.
create function turnpike.find_call(caller turnpike.caller, p_turn_id text, p_step integer, p_call integer,
  p_decides boolean, out asked turnpike.asked_call, out refused text) language plpgsql as $$
declare
  space spaces;
  may boolean;
  mine turns;
  called turn_calls;
begin
  select s.* into space
    from spaces s
    where s.space_id = (select t.space_id from turns t where t.turn_id = p_turn_id);
  may := turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id);
  if not may and p_decides then
    may := coalesce(turnpike.role_in(caller, space) = 'admin', false);
    if not may and turnpike.is_sent_by(caller, (select t.member_id from turns t where t.turn_id = p_turn_id),
      space) then
      refused := 'role';
    end if;
  end if;
  if may then
    select t.* into mine from turns t where t.turn_id = p_turn_id for no key update;
    select k.* into called from turn_calls k where k.turn_id = p_turn_id and k.step = p_step and k.call = p_call;
    asked := row(mine, space.slug, called);
  end if;
end $$;

-- Returns a call with the JSON Schema that an edited input must fit. Null if the caller sees no such call.
create function turnpike.call_schema(p_request turnpike.request, p_turn_id text, p_step integer, p_call integer,
  out actor turnpike.caller, out call turn_calls) language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
begin
  {{caller.opens}}
  known := turnpike.find_call(caller, p_turn_id, p_step, p_call, true);
  call := (known.asked).call;
end $$;

-- A decision about a call.
create type turnpike.call_decision as (
  decision text,
  -- Another input of an allowed call.
  input jsonb, -- null
  message text, -- null
  -- Who decided, as the turn's log has it.
  who jsonb
);

-- The call that a decision or a result is about.
create type turnpike.sent_answer as (
  turn_id text,
  step integer,
  call integer,
  -- The fingerprints of the decision or result under each key of the ring, the newest key first.
  fingerprints jsonb
);

-- The decision or result that counted for a call; a row of nulls without one. p_kind: 'decision' or 'result'.
create function turnpike.answer_of_call(p_sent turnpike.sent_answer, p_kind text) returns call_answers
language sql stable as $$
  select a.*
    from call_answers a
    where a.turn_id = p_sent.turn_id and a.step = p_sent.step and a.call = p_sent.call and a.kind = p_kind
$$;

-- Notes a decision or a result that counts. A turn that waits for nothing has no such row.
create function turnpike.note_answer(p_sent turnpike.sent_answer, p_kind text, p_moment timestamptz) returns void
language plpgsql as $$
begin
  insert into call_answers (
      turn_id, step, call, kind, fingerprint,
      result_tokens,
      created_at)
  values (
      p_sent.turn_id, p_sent.step, p_sent.call, p_kind, p_sent.fingerprints ->> 0,
      case p_kind when 'result' then (select array_agg(n.noted) from turn_steps p,
        unnest(p.result_tokens) n(noted) where p.turn_id = p_sent.turn_id and p.step = p_sent.step
        and starts_with(n.noted, p_sent.call || ' ')) end,
      p_moment);
end $$;

-- The resource that a decision or a result creates, for its Idempotency-Key.
create function turnpike.answer_id(p_sent turnpike.sent_answer, p_kind text) returns text language sql immutable as $$
  select concat(p_kind, ' ', p_sent.turn_id, '.', p_sent.step, '.', p_sent.call)
$$;

-- The outcome of a decision. outcome: 'decided', 'same' (the same decision was made before), 'other' (another one),
-- 'not_asked' (the call waits for no decision), 'ended', 'role' or 'unknown'.
create type turnpike.decided_call as (
  outcome text,
  turn turns, -- null
  -- When the decision that counts was made.
  decided_at timestamptz, -- null
  -- A runner must be called.
  went_on boolean,
  has_subscriber boolean,
  -- The decision that was made before, as the turn's log has it.
  earlier turnpike.earlier_decision -- null
);

-- Stores a decision about a call whose turn is locked. The first decision wins. If no other call of the turn waits for
-- a decision, the turn continues. p_refused: the outcome for a caller who does not see the turn.
-- The same decision again has the same outcome at any time: its fingerprint is kept as long as the turn.
create function turnpike.store_decision(asked turnpike.asked_call, p_refused text, p_sent turnpike.sent_answer,
  given_decision turnpike.call_decision, p_event_ids jsonb, p_moment timestamptz) returns turnpike.decided_call
language plpgsql as $$
declare
  answer turnpike.decided_call;
  earlier call_answers := turnpike.answer_of_call(p_sent, 'decision');
  mine turns := (asked).turn;
  called turn_calls := (asked).call;
  resumed record;
  decision jsonb;
begin
  answer.went_on := false;
  answer.has_subscriber := false;
  answer.outcome := case when mine.turn_id is null then coalesce(p_refused, 'unknown')
    when p_sent.fingerprints ? earlier.fingerprint then 'same'
    when mine.state not in ('queued', 'running') then 'ended'
    when earlier.turn_id is not null then 'other'
    when called.state is distinct from 'asked' or mine.waiting is null
    or turnpike.wait_is_over(mine, p_moment) then 'not_asked'
    else 'decided' end;
  if answer.outcome in ('ended', 'other') then
    answer.earlier := turnpike.decision_in_log(mine.turn_id, p_sent.step, p_sent.call);
  end if;
  answer.decided_at := case answer.outcome when 'same' then earlier.created_at when 'decided' then p_moment end;
  if answer.outcome = 'decided' then
    perform turnpike.note_answer(p_sent, 'decision', p_moment);
    update turn_calls k set state = case given_decision.decision when 'allow' then 'allowed' else 'denied' end,
      edited_input = given_decision.input, message = given_decision.message, decided_at = p_moment,
      decided_by = given_decision.who || jsonb_build_object('decision', given_decision.decision)
      where k.turn_id = called.turn_id and k.step = called.step and k.call = called.call;
    update turns t set last_event_seq = t.last_event_seq + 1,
      waiting = jsonb_set(t.waiting, '{calls}', turnpike.shown_calls(called.turn_id))
      where t.turn_id = called.turn_id
      returning t.* into mine;
    decision := jsonb_build_object('step', called.step, 'call', called.call, 'name', called.tool, 'decision',
      given_decision.decision, 'edited', given_decision.input is not null, 'by', given_decision.who);
    perform turnpike.write_drafts(mine.turn_id, mine.last_event_seq,
      jsonb_build_array(jsonb_build_object('id', p_event_ids ->> 0,
      'type', 'call.decided', 'at', p_moment, 'data', decision)));
    answer.has_subscriber := turnpike.add_event(p_event_ids ->> 0, mine.user_id, mine.test, 'call.decided',
      mine.turn_id, mine.last_event_seq, mine.space_id, null, decision, p_moment);
    if not exists (select from turn_calls k where k.turn_id = mine.turn_id and k.state = 'asked') then
      resumed := turnpike.resume_turn(mine, p_event_ids ->> 1, p_moment);
      mine := resumed.turn;
      answer.has_subscriber := answer.has_subscriber or resumed.has_subscriber;
      answer.went_on := true;
      perform turnpike.follow_period(mine, p_moment);
    end if;
  end if;
  answer.turn := mine;
  return answer;
end $$;

-- Decides about a call that waits for it, for a caller that may decide about the calls of the turn's space.
-- outcome: as `decided_call`; 'used' if the Idempotency-Key was used for another request.
create function turnpike.decide_call(p_request turnpike.request, p_once_key text, p_fingerprint text,
  p_sent turnpike.sent_answer, p_decision text, p_input jsonb, p_message text, p_event_ids jsonb,
  out actor turnpike.caller, out already turnpike.earlier_request, out outcome text, out turn turns,
  out decided_at timestamptz, out went_on boolean, out has_subscriber boolean, out earlier turnpike.earlier_decision)
language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
  answer turnpike.decided_call;
  id text := turnpike.answer_id(p_sent, 'decision');
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  outcome := 'used';
  if coalesce(already.resource_id = id, true) then
    known := turnpike.find_call(caller, p_sent.turn_id, p_sent.step, p_sent.call, true);
    answer := turnpike.store_decision(known.asked, known.refused, p_sent, row(p_decision, p_input, p_message,
      case caller.kind when 'key' then jsonb_build_object('kind', 'key', 'key_id', caller.key_id)
        else jsonb_build_object('kind', 'user', 'user_id',
          turnpike.person_of(caller)) end)::turnpike.call_decision, p_event_ids,
          p_request.moment);
    outcome := answer.outcome;
    turn := answer.turn;
    decided_at := answer.decided_at;
    went_on := answer.went_on;
    has_subscriber := answer.has_subscriber;
    earlier := answer.earlier;
    if outcome = 'decided' then
      perform turnpike.note_own_change(p_request, turnpike.in_space_of(caller, turn.user_id), 'call.decide', 'call',
        p_sent.turn_id, null, jsonb_build_object('step', p_sent.step, 'call', p_sent.call, 'decision', p_decision));
    end if;
    if already.resource_id is null and outcome in ('decided', 'same') then
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, id, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;

-- Decides about a call for the end user of its turn, with the rights of the key that lets the end user decide.
-- outcome: as `decide_call`; 'unknown' also for the turn of another end user, and for one that was not sent with a key.
-- A turn whose texts were erased is unknown, and so is each one if an erasure of the end user was requested at p_since
-- or later.
create function turnpike.decide_as_end_user(p_request turnpike.request, p_end_user_ref text, p_since timestamptz,
  p_sent turnpike.sent_answer, p_decision text, p_event_ids jsonb,
  out actor turnpike.caller, out outcome text, out turn turns, out went_on boolean, out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
  asked turnpike.asked_call;
  answer turnpike.decided_call;
begin
  {{caller.opens}}
  known := turnpike.find_call(caller, p_sent.turn_id, p_sent.step, p_sent.call, true);
  asked := known.asked;
  if (asked).turn.end_user_ref is distinct from p_end_user_ref or (asked).turn.key_id is null
    or (asked).turn.erased_at is not null
    or turnpike.was_erased(caller, p_end_user_ref, p_since)
  then
    asked := null;
  end if;
  answer := turnpike.store_decision(asked, null, p_sent, row(p_decision, null, null,
    jsonb_build_object('kind', 'end_user', 'end_user_ref', p_end_user_ref))::turnpike.call_decision, p_event_ids,
      p_request.moment);
  outcome := answer.outcome;
  turn := answer.turn;
  went_on := answer.went_on;
  has_subscriber := answer.has_subscriber;
  {{caller.closes}}
end $$;

-- True if the erasure of an end user was requested at a moment or later.
create function turnpike.was_erased(caller turnpike.caller, p_end_user_ref text, p_since timestamptz) returns boolean
language plpgsql stable as $$
begin
  return exists (select from erasures e where e.user_id = caller.user_id and e.test = caller.test
    and e.end_user_ref = p_end_user_ref
    and e.requested_at >= p_since);
end $$;
