-- The answer to a request for a new turn.
-- outcome: 'accepted', 'replayed' (`turn` is from an earlier request with this Idempotency-Key), 'no_hold' (`hold`
-- has the limits). Or 'test_turns' (`too_many` has the limit), 'max_cost' (`hold` has what the turn needs),
-- 'rates' or 'open_turns' (count_turn), or another refusal of admit_turn. Null: the caller may not act.
create type turnpike.acceptance as (
  actor turnpike.caller,
  outcome text,
  turn turns,
  slug text,
  in_scope boolean,
  hold turnpike.hold_state,
  -- The answer of the rates and of the limits of test turns.
  counted turnpike.counted_turn,
  has_subscriber boolean,
  needs_runner boolean,
  waits_behind text,
  -- The most output tokens that the model takes.
  most_output integer, -- null: an earlier turn, or no model
  -- The calls whose results were expected.
  open_calls turnpike.open_calls, -- null: none are open, or the turn gives no results
  also_refused turnpike.also_refused -- null: not known
);

-- Accepts a turn: writes its hold, its place in its conversation, its row and its first event.
-- outcome: see acceptance.
-- p_shards: how many shards an account gets if its turns wait for each other. p_runners: the most runners; null: the
-- caller decides itself whether a runner is needed.
-- needs_runner: the caller must call one. waits_behind_until: when a turn that is blocked is cancelled.
--
-- A look without locks can find credit that another turn takes at the same moment. Then everything is rolled back and
-- decided again under all locks of the account, in this statement. An error would cost the connection, and an account
-- at its limit has many of these.
create function turnpike.accept_turn(p_request turnpike.request, p_asked turnpike.asked_turn, p_new turnpike.new_turn,
  p_shards integer, p_runners integer,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out in_scope boolean,
  out hold turnpike.hold_state, out too_many turnpike.test_turn_count, out has_subscriber boolean,
  out needs_runner boolean, out waits_behind text, out waits_behind_until timestamptz, out most_output integer,
  out open_calls turnpike.open_calls, out also_refused turnpike.also_refused, out rated turnpike.rates_state)
language plpgsql
-- A new connection plans each statement once, and not again in its next four turns.
set plan_cache_mode = force_generic_plan as $$
declare
  answer turnpike.acceptance;
begin
  begin
    answer := turnpike.try_accept_turn(p_request, p_asked, p_new, false, p_shards, p_runners);
  exception when sqlstate 'TP001' or deadlock_detected then
    answer := turnpike.try_accept_turn(p_request, p_asked, p_new, true, p_shards, p_runners);
  end;
  actor := answer.actor;
  outcome := answer.outcome;
  turn := answer.turn;
  slug := answer.slug;
  in_scope := answer.in_scope;
  hold := answer.hold;
  too_many := (answer.counted).too_many;
  has_subscriber := answer.has_subscriber;
  needs_runner := answer.needs_runner;
  waits_behind := answer.waits_behind;
  most_output := answer.most_output;
  open_calls := answer.open_calls;
  also_refused := answer.also_refused;
  rated := (answer.counted).rated;
  if waits_behind is not null then
    waits_behind_until := turnpike.limit_blocked(turn, p_request.moment);
  end if;
  if actor.usable then
    perform turnpike.note_use(actor, p_request.moment);
  end if;
end $$;

-- Tries accept_turn once. p_locked: decides under all locks of the account. Without
-- it, SQLSTATE TP001 says that only these locks can decide.
create function turnpike.try_accept_turn(p_request turnpike.request, p_asked turnpike.asked_turn,
  p_new turnpike.new_turn, p_locked boolean, p_shards integer, p_runners integer) returns turnpike.acceptance
language plpgsql as $$
declare
  answer turnpike.acceptance;
  caller turnpike.caller;
  admission turnpike.admission;
  wallet wallets;
  sale turnpike.sale;
  spender turnpike.spender;
  reserved turnpike.reservation;
  place turnpike.place;
  written turns;
begin
  caller := turnpike.find_caller(p_request);
  if caller.kind = 'session' and caller.usable then
    caller := turnpike.as_member(caller, p_asked.space);
    -- A member's Idempotency-Keys never collide with keys of the owner or of another member.
    p_new.idempotency_key := concat(caller.member_id || ' ', p_new.idempotency_key);
  end if;
  answer.actor := caller;
  if caller.usable is not true then
    return answer;
  end if;
  answer.turn := turnpike.earlier_turn(caller, p_new.idempotency_key);
  if (answer.turn).turn_id is not null then
    return turnpike.replayed_turn(answer);
  end if;

  -- Looks up the rows that the request names, and the hold that the turn can get.
  admission := turnpike.admit_results(turnpike.admit_turn(caller, p_asked, p_request.moment), caller, p_asked, p_new,
    p_request.moment);
  answer.most_output := admission.most_output;
  if admission.refused is not null then
    return turnpike.refused_answer(answer, admission, p_asked);
  end if;
  select w.* into wallet from wallets w where w.user_id = caller.user_id;
  answer.counted := turnpike.count_turn(caller, p_asked.end_user, admission.rate, wallet.end_user_rate, p_new.rated,
    p_request.moment);
  answer.outcome := (answer.counted).refused;
  if answer.outcome is not null then
    return answer;
  end if;
  reserved.amount := case when caller.test then 0 end;
  -- A test turn without rehearsed amounts takes no credit.
  if not caller.test or admission.needed is not null then
    sale := turnpike.sale_for(caller, admission, wallet, p_request.moment);
    spender := row(caller.user_id, caller.key_id, p_asked.end_user,
      case when caller.member_id is not null then admission.space_id end, p_request.moment, caller.test);
    if not p_locked and not caller.test then
      reserved := turnpike.reserve(spender, wallet,
        turnpike.caller_has_caps(caller, admission.limited, wallet, spender.moment, spender.shared), admission.wanted,
        admission.needed, sale);
    end if;
    if p_locked or caller.test or reserved.locks_needed then
      perform turnpike.lock_place(caller, admission, p_asked.end_user, p_new.conversation_id, p_request.moment);
      reserved := turnpike.reserve_locked(spender, admission.wanted, admission.needed, sale);
    end if;
    if reserved.amount is null then
      return turnpike.without_hold(answer, spender, admission, sale, reserved, p_new.conversation_id);
    end if;
  end if;

  place := turnpike.take_place(caller, admission, p_asked.end_user, p_new.conversation_id, p_request.moment);
  if place.first_state = 'waiting' then
    -- A turn after one that waits holds nothing until it starts (grow_hold).
    reserved.amount := 0;
  end if;
  written := turnpike.write_turn(p_request, p_asked, p_new, caller, admission, place, reserved, sale);
  answer.has_subscriber := turnpike.write_transition(written, admission.made_by, p_new.event_id, '{}',
    p_request.moment);
  -- Takes its hold last: so far the amount was only read. It is taken if every limit still has it.
  if reserved.amount > 0 then
    perform turnpike.take_reserved(written, reserved, p_shards, p_asked.default_hold);
  end if;
  answer.outcome := 'accepted';
  answer.turn := written;
  answer.slug := admission.slug;
  answer.waits_behind := place.waits_behind;
  answer.needs_runner := case when p_runners is not null and place.wakes_at < 'infinity'
    then turnpike.needs_runner(p_runners, p_request.moment) else false end;
  return answer;
end $$;

-- Returns an admission after the conversation of a turn with results is locked: 'calls' if they came too late.
create function turnpike.admit_results(admission turnpike.admission, caller turnpike.caller,
  p_asked turnpike.asked_turn, p_new turnpike.new_turn, p_moment timestamptz) returns turnpike.admission
language plpgsql as $$
begin
  if admission.refused is not null or p_asked.answers is null then
    return admission;
  end if;
  perform turnpike.lock_place(caller, admission, p_asked.end_user, p_new.conversation_id, p_moment);
  if (turnpike.open_calls_of(admission.space_id, p_asked.end_user, admission.conversation_name)).turn_id
    is distinct from (admission.open).turn_id
  then
    admission.refused := 'calls';
  end if;
  return admission;
end $$;

-- Returns the answer to a request that admit_turn has refused.
create function turnpike.refused_answer(answer turnpike.acceptance, admission turnpike.admission,
  p_asked turnpike.asked_turn) returns turnpike.acceptance language plpgsql as $$
begin
  answer.outcome := admission.refused;
  answer.open_calls := admission.open;
  answer.hold := case when admission.refused = 'max_cost'
    then row(null, admission.needed, 0, 0, '{}', p_asked.max_cost, null)::turnpike.hold_state end;
  return answer;
end $$;

-- Returns the turn of an earlier request with this Idempotency-Key; all null without one. Equal requests wait for each
-- other here, before they hold any other lock.
create function turnpike.earlier_turn(caller turnpike.caller, p_key text) returns turns language plpgsql as $$
declare
  once text := caller.user_id::text || ' ' || caller.test::text || ' ' || p_key;
  earlier turns;
begin
  perform pg_advisory_xact_lock(hashtext('turn'), hashtext(once));
  select t.* into earlier
    from turns t
    where t.user_id::text || ' ' || t.test::text || ' ' || t.idempotency_key = once;
  return earlier;
end $$;

-- Returns the answer with an earlier turn.
create function turnpike.replayed_turn(answer turnpike.acceptance) returns turnpike.acceptance
language plpgsql stable as $$
declare
  space spaces;
begin
  select s.* into space from spaces s where s.space_id = (answer.turn).space_id;
  answer.outcome := 'replayed';
  answer.slug := space.slug;
  answer.in_scope := turnpike.in_scope(answer.actor, space.user_id, space.test, space.created_by_key_id,
    space.space_id);
  return answer;
end $$;

-- Returns the answer to a request whose turn gets no hold.
create function turnpike.without_hold(answer turnpike.acceptance, p_spender turnpike.spender,
  admission turnpike.admission, p_sale turnpike.sale, p_reserved turnpike.reservation, p_conversation_id text)
returns turnpike.acceptance language plpgsql as $$
declare
  refusal turnpike.turn_refusal := turnpike.refuse_turn(p_spender, admission, p_sale, p_reserved);
begin
  answer.outcome := 'no_hold';
  answer.hold := refusal.hold;
  answer.has_subscriber := refusal.has_subscriber;
  answer.also_refused := case when p_spender.key_id is not null then refusal.also_refused end;
  if (answer.also_refused).whose is not null and not p_spender.test then
    perform turnpike.mark_refused(p_spender.user_id, p_spender.moment);
  end if;
  if p_reserved.all_locked then
    -- It was inserted to lock it (lock_place).
    delete from conversations c where c.conversation_id = p_conversation_id and c.last_position = 0;
  end if;
  return answer;
end $$;

create type turnpike.turn_refusal as (
  hold turnpike.hold_state,
  has_subscriber boolean,
  also_refused turnpike.also_refused -- null: not known
);

-- Refuses a turn that gets no hold, with amounts of one moment under all locks of the account. Writes the event of a
-- limit that refuses every turn from now on. p_reserved: what reserve has found; null: nothing was reserved.
-- If there is enough credit in the meantime: SQLSTATE TP001, as in try_accept_turn.
create function turnpike.refuse_turn(p_spender turnpike.spender, admission turnpike.admission, p_sale turnpike.sale,
  p_reserved turnpike.reservation) returns turnpike.turn_refusal language plpgsql as $$
declare
  reserved turnpike.reservation := p_reserved;
  headroom turnpike.credit_left;
  refusal turnpike.turn_refusal;
  short_needed bigint;
  least_needed bigint;
begin
  if reserved.all_locked is not true then
    reserved := turnpike.reserve_locked(p_spender, admission.wanted, admission.needed, p_sale);
  end if;
  if reserved.amount is not null then
    raise exception 'credit was released at the same moment' using errcode = 'TP001';
  end if;
  headroom := reserved.headroom;
  refusal.hold := row(null, admission.needed, headroom.available, headroom.held, headroom.caps, null, headroom.credit);
  select least(admission.wanted, turnpike.least_cost(m, admission.short_tokens, admission.answer_tokens,
    admission.tier)),
    least(admission.wanted, turnpike.least_cost(m, admission.least_tokens, admission.answer_tokens, admission.tier))
    into short_needed, least_needed
    from model_catalog c, turnpike.model_at(c, p_spender.moment) m
    where c.pin = admission.pin;
  refusal.has_subscriber := turnpike.tell_refusal(p_spender.user_id, p_spender.key_id, admission.needed, short_needed,
    headroom.available, headroom.held, headroom.caps, p_spender.moment);
  if p_sale.prepaid and headroom.available >= admission.needed
    and (headroom.credit).balance - (headroom.credit).held < (headroom.credit).needed
    and turnpike.tell_end_user_refusal(p_spender.user_id, p_spender.test, p_spender.end_user, p_spender.moment)
  then
    refusal.has_subscriber := true;
  end if;
  refusal.also_refused := turnpike.refuses_also(refusal.hold, p_sale, least_needed, p_spender.test);
  return refusal;
end $$;
