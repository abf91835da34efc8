-- Lets the first open turn of a conversation begin, now that the one before it has ended. Returns whether there is one.
create function turnpike.next_turn(p_conversation_id text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  next open_turns;
begin
  select o.* into next from open_turns o where o.conversation_id = p_conversation_id order by o.position limit 1;
  if next.wake_at = 'infinity' then
    update open_turns o set wake_at = p_moment where o.turn_id = next.turn_id;
  end if;
  return coalesce(next.state = 'queued', false);
end $$;

-- Writes events that the turn's row has counted already; p_first is the number of the first one. Drafts: {id, type, data, at}.
create function turnpike.write_drafts(p_turn_id text, p_first integer, p_drafts jsonb) returns void language plpgsql as $$
begin
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  select p_turn_id, p_first + draft.position::integer - 1, draft.value ->> 'id', draft.value ->> 'type', draft.value -> 'data',
    (draft.value ->> 'at')::timestamptz
  from jsonb_array_elements(p_drafts) with ordinality as draft(value, position);
end $$;

-- Writes a transition into the turn's log and its account's feed. Returns whether a webhook gets it. The row must be as it is after the
-- transition, with its last event counted. The feed stores the hold, which the row will not have later.
create function turnpike.write_transition(turn turns, p_made_by text, p_event_id text, p_data jsonb, p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  insert into turn_events (turn_id, seq, event_id, type, data, created_at)
  values (turn.turn_id, turn.last_event_seq, p_event_id, 'turn.' || turn.state, p_data, p_moment);
  return turnpike.add_event(p_event_id, turn.user_id, turn.test, 'turn.' || turn.state, turn.turn_id, turn.last_event_seq,
    turn.space_id, p_made_by,
    case when turn.finished_at is null then jsonb_build_object('held_credit_micros', turn.held_credit_micros) else '{}' end, p_moment);
end $$;

-- Charges a turn and releases its hold, last in a transaction. p_billed: the charge; p_held: what was held. An account without shards gets
-- its ledger row with the running total and its events here, under the wallet's lock. With shards the charge is queued (posts: there
-- is work for post_charges). has_subscriber: a webhook gets an event.
create function turnpike.close_hold(turn turns, p_billed bigint, p_held bigint, p_moment timestamptz, out has_subscriber boolean, out posts boolean)
language plpgsql as $$
declare
  wallet wallets;
  shard_taken integer;
  kind text := case when turn.key_id is null then 'space_usage' else 'usage' end;
begin
  has_subscriber := false;
  posts := false;
  if p_held = 0 then
    return;
  end if;
  shard_taken := turnpike.take_shard(turn.user_id);
  if shard_taken is null then
    update wallets w set balance_credit_micros = w.balance_credit_micros - p_billed, held_credit_micros = w.held_credit_micros - p_held
      where w.user_id = turn.user_id and w.shards = 0 returning w.* into wallet;
    -- It got shards while this waited, and this has its wallet now, which others lock behind those: all begins anew.
    if not found then
      raise exception 'account % has got shards', turn.user_id using errcode = 'deadlock_detected';
    end if;
  else
    update wallet_shards s set balance_credit_micros = s.balance_credit_micros - p_billed,
      held_credit_micros = s.held_credit_micros - p_held where s.user_id = turn.user_id and s.shard = shard_taken;
  end if;
  if p_billed > 0 and shard_taken is null then
    insert into ledger (user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, actor, created_at)
    values (turn.user_id, kind, -p_billed, wallet.balance_credit_micros, turn.turn_id, 'turn', p_moment);
  elsif p_billed > 0 then
    insert into postings (user_id, reason, amount_credit_micros, turn_id, created_at)
    values (turn.user_id, kind, -p_billed, turn.turn_id, p_moment);
    posts := true;
  end if;
  perform turnpike.count_spend(turn, p_billed, -p_held, shard_taken);
  if p_billed > 0 and shard_taken is null then
    has_subscriber := turnpike.tell_spend(turn, p_moment);
    if wallet.balance_credit_micros < wallet.low_balance_credit_micros or wallet.balance_credit_micros = 0 then
      wallet.balance_credit_micros := wallet.balance_credit_micros + p_billed;
      if turnpike.follow_balance(wallet, wallet.balance_credit_micros - p_billed, p_moment) then
        has_subscriber := true;
      end if;
    end if;
  end if;
end $$;
