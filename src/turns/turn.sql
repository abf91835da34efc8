-- Locks and returns a running turn if it still belongs to this worker (its epoch); all null if the epoch is stale or
-- the turn waits.
create function turnpike.own_turn(p_turn_id text, p_epoch integer) returns turns language plpgsql as $$
declare
  mine turns;
begin
  select t.* into mine from turns t where t.turn_id = p_turn_id and t.epoch = p_epoch and t.state = 'running' and t.waiting is null
    for no key update;
  return mine;
end $$;

-- Makes the first open turn of each conversation ready, because the turn before it has ended. Returns the
-- conversations in which a turn can start. The caller forbids sequential scans.
create function turnpike.next_turns(p_conversations text[], p_moment timestamptz) returns text[] language plpgsql as $$
declare
  first record;
  begun text[] := '{}';
  idle text[] := p_conversations;
begin
  for first in select o.conversation_id, o.state from open_turns o where o.conversation_id = any (p_conversations) and o.wake_at < 'infinity' loop
    idle := array_remove(idle, first.conversation_id);
    if first.state = 'queued' then
      begun := begun || first.conversation_id;
    end if;
  end loop;
  for first in select o.* from unnest(idle) i(id) cross join lateral (
    select n.conversation_id, n.position, n.state from open_turns n where n.conversation_id = i.id and n.wake_at = 'infinity'
    order by n.position limit 1) o
  loop
    update open_turns o set wake_at = p_moment
      where o.conversation_id = first.conversation_id and o.position = first.position and o.wake_at = 'infinity';
    if first.state = 'queued' then
      begun := begun || first.conversation_id;
    end if;
  end loop;
  return begun;
end $$;

-- Makes the first open turn of one conversation ready. Returns true if a turn can start.
create function turnpike.next_turn(p_conversation_id text, p_moment timestamptz) returns boolean
language plpgsql set enable_seqscan = off as $$
begin
  return cardinality(turnpike.next_turns(array[p_conversation_id], p_moment)) > 0;
end $$;

-- Returns the turn of a conversation that waits, so that later turns cannot start; null if none does.
create function turnpike.waiting_before(p_conversation_id text) returns text language plpgsql stable as $$
begin
  return (select o.turn_id from open_turns o where o.conversation_id = p_conversation_id and o.wake_at < 'infinity' and o.state = 'waiting');
end $$;

-- Sets the time from which a runner may take an open turn.
create function turnpike.set_wake(mine turns, p_wake_at timestamptz) returns void language plpgsql as $$
begin
  update open_turns o set wake_at = p_wake_at where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
end $$;

-- Sets this time for turns.
create function turnpike.set_wakes(p_turns turns[], p_wake_at timestamptz) returns void language plpgsql as $$
begin
  update open_turns o set wake_at = p_wake_at from unnest(p_turns) t
    where o.user_id = t.user_id and o.test = t.test and o.turn_id collate "C" = t.turn_id;
end $$;

-- Removes a turn that has ended from the open turns.
create function turnpike.close_turn(mine turns) returns void language plpgsql as $$
begin
  delete from open_turns o where o.user_id = mine.user_id and o.test = mine.test and o.turn_id collate "C" = mine.turn_id;
end $$;

-- Returns drafts of events in the form of turn_steps.events.
create function turnpike.packed_drafts(p_drafts jsonb) returns json language plpgsql stable as $$
begin
  return coalesce((select json_agg(json_build_array(draft.value -> 'id', draft.value -> 'type',
      (extract(epoch from (draft.value ->> 'at')::timestamptz) * 1000)::bigint, draft.value -> 'data') order by draft.position)
    from jsonb_array_elements(p_drafts) with ordinality as draft(value, position)), '[]');
end $$;

-- Writes events that the turn's row has already counted.
-- p_first: the number of the first event. p_drafts: [{id, type, data, at}].
create function turnpike.write_drafts(p_turn_id text, p_first integer, p_drafts jsonb) returns void language plpgsql as $$
begin
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  select p_turn_id, p_first + draft.position::integer - 1, draft.value ->> 'id', draft.value ->> 'type', draft.value -> 'data',
    (draft.value ->> 'at')::timestamptz
  from jsonb_array_elements(p_drafts) with ordinality as draft(value, position);
end $$;

-- Returns the event of a transition for the account's feed, which the turn's log shows too.
-- turn: the row after the transition, with its last event counted. p_data: the data of the log besides the state.
-- The hold is stored with it, because the row will not have it later.
create function turnpike.transition_of(turn turns, p_made_by text, p_event_id text, p_data jsonb) returns turnpike.new_event
language plpgsql immutable as $$
begin
  return row(p_event_id, turn.user_id, turn.test, 'turn.' || turn.state, turn.turn_id, turn.last_event_seq, turn.space_id, p_made_by,
    p_data, case when turn.finished_at is null then turn.held_credit_micros end)::turnpike.new_event;
end $$;

-- Writes a transition. Returns true if a webhook receives it.
create function turnpike.write_transition(turn turns, p_made_by text, p_event_id text, p_data jsonb, p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  return cardinality(turnpike.add_events(array[turnpike.transition_of(turn, p_made_by, p_event_id, p_data)], p_moment)) > 0;
end $$;

-- A turn that has ended and still has its hold.
create type turnpike.ended_turn as (
  turn turns,
  -- The amount to charge.
  billed bigint,
  -- True if another turn of its conversation can start.
  next boolean,
  -- True if a webhook receives an event of its end.
  has_subscriber boolean
);

-- Charges ended turns of one account to the wallets of their end users, and releases the holds there. It locks these
-- wallets in their order, before the wallet of the account. Returns whether a webhook receives an event.
create function turnpike.charge_end_users(p_ended turnpike.ended_turn[], p_moment timestamptz) returns boolean language plpgsql as $$
declare
  customer record;
  wallet end_user_wallets;
  has_subscriber boolean := false;
begin
  for customer in
    select (e.turn).user_id as user_id, (e.turn).end_user_ref as ref, sum((e.turn).end_user_hold_credit_micros)::bigint as released,
      sum((e.turn).end_user_charge_credit_micros)::bigint as charged
    from unnest(p_ended) e where (e.turn).end_user_hold_credit_micros is not null
    group by (e.turn).user_id, (e.turn).end_user_ref order by (e.turn).end_user_ref collate "C"
  loop
    continue when coalesce(customer.released, 0) = 0;
    update end_user_wallets w set balance_credit_micros = w.balance_credit_micros - customer.charged,
        held_credit_micros = w.held_credit_micros - customer.released
      where w.user_id = customer.user_id and not w.test and w.end_user_ref = customer.ref returning w.* into wallet;
    if customer.charged > 0 then
      insert into end_user_ledger (user_id, test, end_user_ref, reason, amount_credit_micros, balance_after_credit_micros, turn_id, created_at)
      select customer.user_id, false, customer.ref, 'usage', -(e.turn).end_user_charge_credit_micros,
          wallet.balance_credit_micros + customer.charged - sum((e.turn).end_user_charge_credit_micros) over (order by e.position),
          (e.turn).turn_id, p_moment
        from unnest(p_ended) with ordinality e(turn, billed, next, has_subscriber, position)
        where (e.turn).end_user_ref = customer.ref and (e.turn).end_user_charge_credit_micros > 0
          and (e.turn).end_user_hold_credit_micros is not null order by e.position;
      if turnpike.follow_end_user(wallet, wallet.balance_credit_micros + customer.charged, p_moment) then
        has_subscriber := true;
      end if;
    end if;
  end loop;
  return has_subscriber;
end $$;

-- Charges ended turns of one account, all live or all test, and releases their holds. Runs last in a transaction, and
-- writes the wallet and each counter once.
-- Without shards, it writes the ledger rows with the running total, and the account's events, under the wallet's
-- lock. With shards, it queues the charges.
-- posts: post_charges has work. has_subscriber: a webhook receives an event.
create function turnpike.close_holds(p_ended turnpike.ended_turn[], p_moment timestamptz, out has_subscriber boolean, out posts boolean)
language plpgsql as $$
declare
  account bigint := (p_ended[1]).turn.user_id;
  charged bigint;
  released bigint;
  wallet wallets;
  shard_taken integer;
  is_counted boolean;
  one turnpike.ended_turn;
  customers integer;
begin
  has_subscriber := false;
  posts := false;
  select sum(e.billed), sum((e.turn).hold_credit_micros), count((e.turn).end_user_hold_credit_micros) into charged, released, customers
    from unnest(p_ended) e;
  if customers > 0 then
    has_subscriber := turnpike.charge_end_users(p_ended, p_moment);
  end if;
  if coalesce(released, 0) = 0 then
    return;
  end if;
  shard_taken := turnpike.take_shard(account);
  if shard_taken is null then
    update wallets w set balance_credit_micros = w.balance_credit_micros - charged, held_credit_micros = w.held_credit_micros - released
      where w.user_id = account and w.shards = 0 returning w.* into wallet;
    -- The account got shards while this waited. This transaction holds the wallet now, which others lock after the
    -- shards, so it must start again.
    if not found then
      raise exception 'account % has got shards', account using errcode = 'deadlock_detected';
    end if;
    insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
    select account, case when (e.turn).key_id is null then 'space_usage' else 'usage' end, -e.billed,
        wallet.balance_credit_micros + charged - sum(e.billed) over (order by e.position), (e.turn).turn_id, 'turn', p_moment
      from unnest(p_ended) with ordinality e(turn, billed, next, has_subscriber, position)
      where e.billed > 0 order by e.position;
  else
    update wallet_shards s set balance_credit_micros = s.balance_credit_micros - charged,
      held_credit_micros = s.held_credit_micros - released where s.user_id = account and s.shard = shard_taken;
    insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at)
    select account, case when (e.turn).key_id is null then 'space_usage' else 'usage' end, -e.billed, (e.turn).turn_id, p_moment
      from unnest(p_ended) e where e.billed > 0;
    posts := charged > 0;
  end if;
  is_counted := exists (select from spend_counted c where c.user_id = account);
  if is_counted then
    perform turnpike.count_spends(account,
      array(select row(case when (e.turn).counted_at is null then e.turn else turnpike.as_counted(e.turn) end,
          greatest(0, e.billed - coalesce((e.turn).past_credit_micros, 0)),
          coalesce((e.turn).past_credit_micros, 0) - (e.turn).hold_credit_micros)::turnpike.turn_spend from unnest(p_ended) e
        where (e.turn).hold_credit_micros > 0), shard_taken);
    foreach one in array p_ended loop
      if one.billed = 0 and (one.turn).past_credit_micros > 0 then
        perform turnpike.uncount_parts(one.turn, shard_taken);
      end if;
    end loop;
  end if;
  if shard_taken is not null then
    return;
  end if;
  if is_counted then
    foreach one in array p_ended loop
      if one.billed > 0 and turnpike.tell_spend(turnpike.as_counted(one.turn), p_moment) then
        has_subscriber := true;
      end if;
    end loop;
  end if;
  if charged > 0 and (wallet.balance_credit_micros < wallet.low_balance_credit_micros or wallet.balance_credit_micros = 0) then
    wallet.balance_credit_micros := wallet.balance_credit_micros + charged;
    if turnpike.follow_balance(wallet, wallet.balance_credit_micros - charged, p_moment) then
      has_subscriber := true;
    end if;
  end if;
end $$;
