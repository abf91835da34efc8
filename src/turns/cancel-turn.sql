-- Cancels a turn that the caller has locked: a queued or waiting turn ends at once, a
-- running turn is asked to stop at its next boundary.
-- The caller must then close the hold of an ended turn (close_holds), because
-- the wallet is locked last. Returns the turn afterwards.
create function turnpike.cancel_locked(open turns, p_event_id text, p_reason text, p_moment timestamptz, out turn turns,
  out has_subscriber boolean)
language plpgsql as $$
declare
  ended turnpike.ended_turn;
begin
  has_subscriber := false;
  if open.waiting is not null then
    ended := turnpike.end_turn(open,
      row(open.turn_id, open.epoch, 'cancelled', p_reason, turnpike.said_in(open.turn_id), null, null, null,
      false, null, null, false, null, '[]', true, null, p_event_id)::turnpike.turn_end, p_moment);
    turn := ended.turn;
    has_subscriber := ended.has_subscriber;
    return;
  end if;
  if open.state = 'running' then
    update turns t set cancel_requested_at = coalesce(t.cancel_requested_at, p_moment),
      status_reason = coalesce(t.status_reason, p_reason)
      where t.turn_id = open.turn_id
      returning t.* into turn;
    if turn.lease_until is null then
      -- No worker holds it, so the next one ends it.
      perform turnpike.set_wake(open, p_moment);
    end if;
    return;
  end if;
  update turns t set state = 'cancelled', status_reason = coalesce(t.status_reason, p_reason), held_credit_micros = 0,
    end_user_charge_credit_micros = case when num_nonnulls(t.price_id, t.end_user_hold_credit_micros) > 0 then 0 end,
    finished_at = p_moment, last_event_seq = t.last_event_seq + 1,
    cancel_requested_at = coalesce(t.cancel_requested_at, p_moment)
    where t.turn_id = open.turn_id
    returning t.* into turn;
  perform turnpike.close_turn(open);
  has_subscriber := turnpike.write_transition(turn,
    (select s.created_by_key_id from spaces s where s.space_id = turn.space_id), p_event_id,
    jsonb_build_object('status_reason', turn.status_reason), p_moment);
end $$;

-- The effect of a cancel. outcome: 'cancelled' (it has ended now; `next`: another turn of its conversation can start),
-- 'asked' (it is running) or 'ended' (it had ended before). posts: as of close_holds.
create type turnpike.cancelled_turn as (
  outcome text,
  turn turns,
  next boolean, -- null: it has not ended now
  has_subscriber boolean, -- null: it had ended before
  posts boolean
);

-- Locks a turn, cancels it, and closes its hold.
create function turnpike.cancel_one(p_turn_id text, p_event_id text, p_reason text, p_moment timestamptz)
returns turnpike.cancelled_turn language plpgsql as $$
declare
  cancelled turnpike.cancelled_turn;
  found_turn turns;
  locked record;
begin
  cancelled.posts := false;
  select t.* into found_turn from turns t where t.turn_id = p_turn_id for no key update;
  if found_turn.state in ('queued', 'running') then
    cancelled.outcome := case when found_turn.state = 'queued' or found_turn.waiting is not null then 'cancelled'
      else 'asked' end;
    if cancelled.outcome = 'cancelled' then
      perform from conversations c where c.conversation_id = found_turn.conversation_id for no key update;
    end if;
    locked := turnpike.cancel_locked(found_turn, p_event_id, p_reason, p_moment);
    found_turn := locked.turn;
    cancelled.has_subscriber := locked.has_subscriber;
    if cancelled.outcome = 'cancelled' then
      cancelled.next := turnpike.next_turn(found_turn.conversation_id, p_moment);
      cancelled.posts := (turnpike.close_holds(array[row(found_turn, found_turn.billed_credit_micros, cancelled.next,
        false)::turnpike.ended_turn], p_moment)).posts;
    end if;
  else
    cancelled.outcome := 'ended';
  end if;
  cancelled.turn := found_turn;
  return cancelled;
end $$;

-- Cancels a turn for a caller. outcome: as of cancelled_turn, or 'unknown'.
create function turnpike.cancel_turn(p_request turnpike.request,
  p_turn_id text, p_event_id text,
  out actor turnpike.caller, out outcome text, out turn turns, out slug text, out next boolean,
    out has_subscriber boolean, out posts boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  is_visible boolean;
  cancelled turnpike.cancelled_turn;
begin
  {{caller.opens}}
  outcome := 'unknown';
  posts := false;
  -- The scope is checked before the lock: a caller must not lock a turn that it may not see.
  select s.* into space
    from spaces s
    where s.space_id = (select t.space_id from turns t where t.turn_id = p_turn_id);
  is_visible := turnpike.in_scope(caller, space.user_id, space.test, space.created_by_key_id, space.space_id);
  if is_visible is not true and space.space_id is not null then
    is_visible := turnpike.is_sent_by(caller, (select t.member_id from turns t where t.turn_id = p_turn_id), space);
  end if;
  if is_visible then
    cancelled := turnpike.cancel_one(p_turn_id, p_event_id, 'client', p_request.moment);
    outcome := cancelled.outcome;
    turn := cancelled.turn;
    next := cancelled.next;
    has_subscriber := cancelled.has_subscriber;
    posts := cancelled.posts;
    slug := space.slug;
  end if;
  {{caller.closes}}
end $$;

-- Cancels a turn of any account for an admin. p_reason: why, for the audit log. The rest: as of cancel_turn.
create function turnpike.cancel_any_turn(p_request turnpike.request, p_turn_id text, p_event_id text, p_reason text,
  out actor turnpike.caller, out refused text, out outcome text, out turn turns, out slug text, out next boolean,
    out has_subscriber boolean, out posts boolean) language plpgsql as $$
declare
  admin turnpike.admin_caller;
  cancelled turnpike.cancelled_turn;
begin
  {{admin.opens}}
  select s.slug into slug from turns t join spaces s on s.space_id = t.space_id where t.turn_id = p_turn_id;
  outcome := 'unknown';
  posts := false;
  if slug is not null then
    cancelled := turnpike.cancel_one(p_turn_id, p_event_id, 'operator', p_request.moment);
    outcome := cancelled.outcome;
    turn := cancelled.turn;
    next := cancelled.next;
    has_subscriber := cancelled.has_subscriber;
    posts := cancelled.posts;
    if outcome <> 'ended' then
      perform turnpike.note_own_change(p_request, turnpike.in_account(admin.caller, turn.user_id), 'turn.cancel',
        'turn', p_turn_id, null, jsonb_build_object('reason', p_reason));
    end if;
  end if;
  {{admin.closes}}
end $$;
