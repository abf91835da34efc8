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
create function turnpike.find_call(caller turnpike.caller, p_turn_id text, p_step integer, p_call integer, p_decides boolean,
  out asked turnpike.asked_call, out refused text) language plpgsql as $$
declare
  space spaces;
  may boolean;
  mine turns;
  called turn_calls;
begin
  select s.* into space from spaces s where s.space_id = (select t.space_id from turns t where t.turn_id = p_turn_id);
  may := turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id);
  if not may and p_decides then
    may := coalesce(turnpike.role_in(caller, space) = 'admin', false);
    if not may and turnpike.is_sent_by(caller, (select t.member_id from turns t where t.turn_id = p_turn_id), space) then
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
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  known := turnpike.find_call(caller, p_turn_id, p_step, p_call, true);
  call := (known.asked).call;
end $$;

-- Decides about a call that waits for it. The first decision wins. If no other call of the turn waits for a decision,
-- the turn continues.
-- outcome: 'decided', 'same' (the same decision was made before), 'other' (another one), 'not_asked' (the call waits
-- for no decision), 'ended', 'role' or 'unknown'. went_on: a runner must be called.
-- earlier: the decision that was made before, as the turn's log has it.
create function turnpike.decide_call(p_request turnpike.request, p_turn_id text, p_step integer, p_call integer, p_decision text,
  p_input jsonb, p_message text, p_event_ids jsonb,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out went_on boolean, out has_subscriber boolean,
  out earlier turnpike.earlier_decision)
language plpgsql as $$
declare
  caller turnpike.caller;
  known record;
  mine turns;
  called turn_calls;
  decided text := case p_decision when 'allow' then 'allowed' else 'denied' end;
  who jsonb;
  resumed record;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  went_on := false;
  has_subscriber := false;
  known := turnpike.find_call(caller, p_turn_id, p_step, p_call, true);
  mine := (known.asked).turn;
  called := (known.asked).call;
  slug := (known.asked).slug;
  outcome := case when mine.turn_id is null then coalesce(known.refused, 'unknown')
    when mine.state not in ('queued', 'running') then 'ended'
    when called.decided_by is not null then case when called.message is not distinct from p_message
      and called.edited_input is not distinct from p_input
      and (called.decided_by ->> 'decision') = p_decision then 'same' else 'other' end
    when called.state is distinct from 'asked' or mine.waiting is null then 'not_asked' else 'decided' end;
  turn := mine;
  if outcome in ('ended', 'other') then
    earlier := turnpike.decision_in_log(p_turn_id, p_step, p_call);
  end if;
  if outcome = 'decided' then
    who := case caller.kind when 'key' then jsonb_build_object('kind', 'key', 'key_id', caller.key_id)
      else jsonb_build_object('kind', 'user', 'user_id', caller.user_id) end;
    update turn_calls k set state = decided, edited_input = p_input, message = p_message, decided_at = p_request.moment,
      decided_by = who || jsonb_build_object('decision', p_decision)
      where k.turn_id = p_turn_id and k.step = p_step and k.call = p_call;
    update turns t set last_event_seq = t.last_event_seq + 1,
      waiting = jsonb_set(t.waiting, '{calls}', turnpike.shown_calls(p_turn_id)) where t.turn_id = p_turn_id returning t.* into mine;
    perform turnpike.write_drafts(p_turn_id, mine.last_event_seq, jsonb_build_array(jsonb_build_object('id', p_event_ids ->> 0,
      'type', 'call.decided', 'at', p_request.moment, 'data', jsonb_build_object('step', p_step, 'call', p_call, 'name', called.tool,
        'decision', p_decision, 'edited', p_input is not null, 'by', who))));
    if not exists (select from turn_calls k where k.turn_id = p_turn_id and k.state = 'asked') then
      resumed := turnpike.resume_turn(mine, p_event_ids ->> 1, p_request.moment);
      mine := resumed.turn;
      has_subscriber := resumed.has_subscriber;
      went_on := true;
      perform turnpike.follow_period(mine, p_request.moment);
    end if;
    turn := mine;
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;
