-- Releases a turn until p_wake_at, because its model call must wait. Returns false if the epoch is stale.
-- p_failed: the model did not answer, which counts as a failure. Otherwise all accounts of its provider are cooling,
-- or there is no memory for the call.
-- p_events: a draft of model.waiting. It is written once per wait, however often the turn is tried in vain.
create function turnpike.back_off(p_turn_id text, p_epoch integer, p_failed boolean, p_wake_at timestamptz,
  p_events jsonb)
returns boolean language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  events jsonb := p_events;
begin
  if mine.turn_id is null then
    return false;
  end if;
  if exists (select from turn_events e where e.turn_id = p_turn_id and e.seq = mine.last_event_seq
    and e.type = 'model.waiting') then
    events := '[]';
  end if;
  update turns t set model_failures = t.model_failures + case when p_failed then 1 else 0 end, attempts = 0,
    lease_until = null, last_event_seq = t.last_event_seq + jsonb_array_length(events)
    where t.turn_id = p_turn_id;
  perform turnpike.write_drafts(p_turn_id, mine.last_event_seq + 1, events);
  update open_turns o set wake_at = p_wake_at, provider_id = null
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
  return true;
end $$;

-- Releases the lease of a turn until p_wake_at. Returns false if the epoch is stale.
-- p_broke: the run failed, which counts as an attempt even if it had committed a step. The output of its running
-- models is lost, and the next claim notes that.
create function turnpike.release_turn(p_turn_id text, p_epoch integer, p_broke boolean, p_wake_at timestamptz)
returns boolean
language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if mine.turn_id is null then
    return false;
  end if;
  update turns t set lease_until = null, attempts = case when p_broke then greatest(t.attempts, 1) else t.attempts end
    where t.turn_id = p_turn_id;
  update open_turns o set wake_at = p_wake_at, provider_id = null
    where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
  return true;
end $$;

-- Returns whether the turn still belongs to this worker and may start tool calls: 'yes', 'cancel' or 'stale'.
-- After a yes, a cancel waits until the calls have started, and the lease is renewed.
create function turnpike.may_start_calls(p_turn_id text, p_epoch integer, p_calls_until timestamptz,
  p_lease timestamptz)
returns text language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if mine.turn_id is null then
    return 'stale';
  end if;
  update turns t set lease_until = p_lease, calls_start_until = case when t.cancel_requested_at is null
      then greatest(t.calls_start_until, p_calls_until) else t.calls_start_until end
    where t.turn_id = p_turn_id;
  perform turnpike.set_wake(mine, p_lease);
  return case when mine.cancel_requested_at is null then 'yes' else 'cancel' end;
end $$;

-- Notes the token that a request of a call carries, before the request is sent. Returns false if the epoch is stale.
create function turnpike.note_result_token(p_turn_id text, p_epoch integer, p_step integer, p_call integer,
  p_token text)
returns boolean language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  noted text := turnpike.result_token(p_call, p_token);
begin
  if mine.turn_id is null then
    return false;
  end if;
  update turn_steps p set result_tokens = array_append(p.result_tokens, noted)
    where p.turn_id = p_turn_id and p.step = p_step and (noted = any (p.result_tokens)) is not true;
  return true;
end $$;

-- Renews the lease of a turn whose model is still answering. Returns
-- 'yes', 'cancel' (it was asked to stop) or 'stale'.
-- A renewal after the end of its worker's run finds no lease, and leaves the turn to the next worker.
create function turnpike.renew_lease(p_turn_id text, p_epoch integer, p_lease timestamptz) returns text
language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if mine.turn_id is null or mine.lease_until is null then
    return 'stale';
  end if;
  update turns t set lease_until = p_lease where t.turn_id = p_turn_id;
  perform turnpike.set_wake(mine, p_lease);
  return case when mine.cancel_requested_at is null then 'yes' else 'cancel' end;
end $$;

-- Grows a turn's hold by up to p_micros, as far as its max_cost_usd, the balance and its caps allow. The caps of the
-- day, month and window of its acceptance apply.
-- hold: the whole hold afterwards. amount: the growth. max_cost_left: what max_cost_usd had left. No row: the epoch is
-- stale.
-- end_user_left: by how much the end user's wallet let it grow; null: no wallet pays.
-- locks_needed: nothing was done, and the call must be repeated with p_locked (grow).
create function turnpike.grow_hold(p_turn_id text, p_epoch integer, p_micros bigint, p_locked boolean,
  p_moment timestamptz)
returns table (hold bigint, amount bigint, max_cost_left bigint, caps turnpike.cap_state[], locks_needed boolean,
  end_user_left bigint)
language plpgsql rows 1 as $$
declare
  -- Locked, because several calls of a turn can grow its hold at once.
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
  growth turnpike.growth;
begin
  if mine.turn_id is null then
    return;
  end if;
  if mine.hold_credit_micros = 0 and coalesce(mine.rehearsed_hold_credit_micros, 0) = 0 then
    -- The turn gave its hold back because one before it waited. It counts in the periods of this moment.
    if mine.end_user_hold_credit_micros is not null then
      perform turnpike.lock_end_user(mine.user_id, mine.test, mine.end_user_ref);
    end if;
    perform turnpike.follow_period(mine, p_moment);
    select t.* into mine from turns t where t.turn_id = p_turn_id;
  end if;
  mine := turnpike.as_rehearsed(mine);
  max_cost_left := greatest(0, coalesce(mine.max_cost_credit_micros - mine.hold_credit_micros, p_micros));
  growth := turnpike.grow(mine, least(p_micros, max_cost_left), 0, p_locked);
  amount := growth.amount;
  caps := growth.caps;
  locks_needed := growth.locks_needed;
  end_user_left := growth.end_user_left;
  hold := mine.hold_credit_micros + amount;
  return next;
end $$;

-- Writes events if a reader follows the turn, and returns whether one
-- does. Writing the same events again has no effect.
create function turnpike.write_for_reader(p_turn_id text, p_epoch integer, p_events jsonb, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  mine turns := turnpike.own_turn(p_turn_id, p_epoch);
begin
  if exists (select from turn_events e where e.turn_id = p_turn_id and e.event_id = p_events -> 0 ->> 'id') then
    return true;
  end if;
  if mine.turn_id is null or coalesce(mine.stream_until <= p_moment, true) then
    return false;
  end if;
  update turns t set last_event_seq = t.last_event_seq + jsonb_array_length(p_events) where t.turn_id = p_turn_id;
  perform turnpike.write_drafts(p_turn_id, mine.last_event_seq + 1, p_events);
  return true;
end $$;
