-- Prepaid wallets of end users. A wallet is locked after conversations and before the wallet of its account, so that
-- turns of one busy end user never make turns of others wait. Test wallets are other rows.

-- The credit of an end user: the amounts of the wallet, and the smallest amount that a turn needs.
create type turnpike.end_user_credit as (
  balance bigint,
  held bigint,
  needed bigint
);

-- Returns the balance of an end user's wallet, and how much of it is held; 0 without a wallet.
create function turnpike.end_user_sums(p_user_id bigint, p_test boolean, p_ref text, out balance bigint,
  out held bigint)
language plpgsql stable as $$
begin
  select w.balance_credit_micros, w.held_credit_micros into balance, held
    from end_user_wallets w
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref;
  balance := coalesce(balance, 0);
  held := coalesce(held, 0);
end $$;

-- Locks the wallet of an end user.
create function turnpike.lock_end_user(p_user_id bigint, p_test boolean, p_ref text) returns void language plpgsql as $$
begin
  perform from end_user_wallets w
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref for no key update;
end $$;

-- Locks the wallets that pay for these turns.
create function turnpike.lock_end_users(p_turn_ids text[]) returns void language plpgsql as $$
begin
  if exists (select from turns t where t.turn_id = any (p_turn_ids) and t.end_user_hold_credit_micros is not null) then
    perform from end_user_wallets w
      where (w.user_id, w.test, w.end_user_ref) in (select t.user_id, t.test, t.end_user_ref from turns t
        where t.turn_id = any (p_turn_ids) and t.end_user_hold_credit_micros is not null)
      order by w.user_id, w.test, w.end_user_ref collate "C" for no key update;
  end if;
end $$;

-- Changes the held amount of an end user by p_amount. Returns false if the wallet lacks the credit.
create function turnpike.change_end_user_held(p_user_id bigint, p_test boolean, p_ref text, p_amount bigint)
returns boolean
language plpgsql as $$
begin
  if p_amount = 0 then
    return true;
  end if;
  update end_user_wallets w set held_credit_micros = w.held_credit_micros + p_amount
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref
      and w.balance_credit_micros - w.held_credit_micros >= p_amount;
  return found;
end $$;

-- Takes charges from the wallet of an end user, and releases the holds of the charged turns. Returns the row
-- afterwards.
create function turnpike.charge_end_user_wallet(p_user_id bigint, p_test boolean, p_ref text, p_charged bigint,
  p_released bigint)
returns end_user_wallets language plpgsql as $$
declare
  charged end_user_wallets;
begin
  update end_user_wallets w set balance_credit_micros = w.balance_credit_micros - p_charged,
      held_credit_micros = w.held_credit_micros - p_released
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref
    returning w.* into charged;
  return charged;
end $$;

-- Writes end_user.balance_low (p_order 2) or end_user.depleted (p_order 3). wallet: the row after the change.
-- Returns whether an endpoint gets the event.
create function turnpike.tell_end_user(wallet end_user_wallets, p_type text, p_order integer, p_moment timestamptz)
returns boolean
language plpgsql as $$
begin
  return turnpike.add_event(turnpike.event_id_at(p_moment, p_order), wallet.user_id, wallet.test, p_type, null, null,
    null, null, jsonb_build_object('end_user_ref', wallet.end_user_ref, 'balance_credit_micros',
      wallet.balance_credit_micros, 'held_credit_micros', wallet.held_credit_micros, 'threshold_credit_micros',
      wallet.low_balance_credit_micros), p_moment);
end $$;

-- Writes the events of a changed balance, as follow_balance does for accounts. wallet: the row after the change, which
-- the caller has locked. p_was: the balance before.
create function turnpike.follow_end_user(wallet end_user_wallets, p_was bigint, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  fell boolean := wallet.balance_credit_micros < p_was;
  is_low boolean := wallet.balance_credit_micros < wallet.low_balance_credit_micros;
  tells_low boolean := fell and is_low and (not wallet.low_told or p_was >= wallet.low_balance_credit_micros);
  tells_depleted boolean := fell and wallet.balance_credit_micros = 0 and not wallet.depleted_told;
  low_told_now boolean := is_low and (wallet.low_told or tells_low);
  depleted_told_now boolean := fell and (wallet.depleted_told or tells_depleted);
  has_subscriber boolean := false;
begin
  if wallet.balance_credit_micros = p_was then
    return false;
  end if;
  if (low_told_now, depleted_told_now) <> (wallet.low_told, wallet.depleted_told) then
    update end_user_wallets w set low_told = low_told_now, depleted_told = depleted_told_now
      where w.user_id = wallet.user_id and w.test = wallet.test and w.end_user_ref = wallet.end_user_ref;
  end if;
  if tells_low then
    has_subscriber := turnpike.tell_end_user(wallet, 'end_user.balance_low', 2, p_moment);
  end if;
  if tells_depleted and turnpike.tell_end_user(wallet, 'end_user.depleted', 3, p_moment) then
    has_subscriber := true;
  end if;
  return has_subscriber;
end $$;

-- Reports that an end user's wallet refused a turn, if nothing is held that could be released. The caller has locked
-- the wallet. An end user without a wallet has never had credit, so there is no event.
create function turnpike.tell_end_user_refusal(p_user_id bigint, p_test boolean, p_ref text, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  wallet end_user_wallets;
begin
  update end_user_wallets w set depleted_told = true
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref
    and w.held_credit_micros = 0 and not w.depleted_told
    returning w.* into wallet;
  return found and turnpike.tell_end_user(wallet, 'end_user.depleted', 3, p_moment);
end $$;

-- A ledger entry of an end user, or why it was refused.
create type turnpike.end_user_booking as (
  entry end_user_ledger, -- null: refused
  refused text, -- null: booked
  -- The available credit of the wallet, if a correction is larger.
  available bigint, -- null
  -- True if an endpoint of the account must be woken.
  has_subscriber boolean
);

-- Books credit (p_amount > 0) or a correction of an end user's wallet, which is created with the first credit.
create function turnpike.book_end_user(p_user_id bigint, p_test boolean, p_ref text, p_amount bigint, p_note text,
  p_key_id text, p_once_key text, p_fingerprint text, p_moment timestamptz) returns turnpike.end_user_booking
language plpgsql as $$
declare
  booking turnpike.end_user_booking;
  wallet end_user_wallets;
  booked end_user_ledger;
  was bigint;
begin
  booking.has_subscriber := false;
  if p_amount > 0 then
    insert into end_user_wallets (user_id, test, end_user_ref, created_at)
      values (p_user_id, p_test, p_ref, p_moment)
      on conflict do nothing;
  end if;
  select w.* into wallet
    from end_user_wallets w
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref
    for no key update;
  was := coalesce(wallet.balance_credit_micros, 0);
  booking.available := was - coalesce(wallet.held_credit_micros, 0);
  if coalesce(booking.available + p_amount < 0, true) then
    booking.refused := 'too_low';
    return booking;
  end if;
  if was + p_amount > 9000000000000000 then
    booking.refused := 'too_much';
    return booking;
  end if;
  update end_user_wallets w set balance_credit_micros = w.balance_credit_micros + p_amount
    where w.user_id = p_user_id and w.test = p_test and w.end_user_ref = p_ref
    returning w.* into wallet;
  insert into end_user_ledger (
      user_id, test, end_user_ref, reason, amount_credit_micros,
      balance_after_credit_micros, note, key_id, once_key, fingerprint, created_at)
  values (
      p_user_id, p_test, p_ref, case when p_amount > 0 then 'credit' else 'correction' end, p_amount,
      wallet.balance_credit_micros, p_note, p_key_id, p_once_key, p_fingerprint, p_moment)
  returning * into booked;
  booking.entry := booked;
  booking.has_subscriber := turnpike.follow_end_user(wallet, was, p_moment);
  if p_amount > 0 then
    perform turnpike.wake_end_user(p_user_id, p_test, p_ref);
  end if;
  return booking;
end $$;

-- Lets turns that wait for credit of an end user continue.
create function turnpike.wake_end_user(p_user_id bigint, p_test boolean, p_ref text) returns void language plpgsql as $$
begin
  if exists (select from waiting_turns w
    where w.user_id = p_user_id and w.test = p_test and w.bound_by = 'end_user_credit' and w.counter = p_ref)
  then
    update waiting_accounts a set due_at = '-infinity', raises = a.raises + 1
      where a.user_id = p_user_id and a.test = p_test;
  end if;
end $$;

-- Returns to the wallet of an end user what a turn charged there. The caller has locked the turn, and refunds it once.
-- Returns whether a webhook receives an event.
create function turnpike.refund_end_user(turn turns, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  wallet end_user_wallets;
  amount bigint := turn.end_user_charge_credit_micros;
begin
  -- Without a hold in a wallet, the charge is only the price that the owner asks.
  if turn.end_user_hold_credit_micros is null or coalesce(amount, 0) = 0 then
    return false;
  end if;
  update end_user_wallets w set balance_credit_micros = w.balance_credit_micros + amount
    where w.user_id = turn.user_id and w.test = turn.test and w.end_user_ref = turn.end_user_ref
    returning w.* into wallet;
  insert into end_user_ledger (
      user_id, test, end_user_ref, reason, amount_credit_micros, balance_after_credit_micros, turn_id,
      created_at)
  values (
      turn.user_id, turn.test, turn.end_user_ref, 'refund', amount, wallet.balance_credit_micros, turn.turn_id,
      p_moment);
  perform turnpike.wake_end_user(turn.user_id, turn.test, turn.end_user_ref);
  return turnpike.follow_end_user(wallet, wallet.balance_credit_micros - amount, p_moment);
end $$;
