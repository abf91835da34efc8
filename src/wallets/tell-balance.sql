-- These procedures write events about an account's balance, in the transaction that changes it
-- and under the lock of its wallet.

-- Writes the event balance.low (p_order 0) or balance.depleted (p_order 1).
-- p_balance: the new balance. The held amount is read here.
-- Returns whether an endpoint gets the event.
create function turnpike.tell_balance(p_user_id bigint, p_type text, p_order integer, p_balance bigint,
  p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  return turnpike.add_event(turnpike.event_id_at(p_moment, p_order), p_user_id, false, p_type, null, null, null, null,
    jsonb_build_object('balance_credit_micros', p_balance, 'held_credit_micros',
      (select s.held from turnpike.wallet_sums(p_user_id) s), 'threshold_credit_micros',
      (select w.low_balance_credit_micros from wallets w where w.user_id = p_user_id)), p_moment);
end $$;

-- Writes balance.depleted for a refused turn, once until the balance rises. Returns whether an endpoint gets it.
create function turnpike.tell_depleted(p_user_id bigint, p_balance bigint, p_moment timestamptz) returns boolean
language plpgsql as $$
begin
  update wallets w set depleted_told = true where w.user_id = p_user_id and not w.depleted_told;
  if not found then
    return false;
  end if;
  return turnpike.tell_balance(p_user_id, 'balance.depleted', 1, p_balance, p_moment);
end $$;

-- Writes balance.low and balance.depleted after a change of the balance.
-- balance.low is written once until the balance is no longer low, balance.depleted once until it rises.
-- p_was: the wallet before the change, which is already written. p_balance: the new balance.
-- p_moment: the time of the change's ledger row.
-- Returns whether an endpoint gets an event.
create function turnpike.follow_balance(p_was wallets, p_balance bigint, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  fell boolean := p_balance < p_was.balance_credit_micros;
  is_low boolean := p_balance < p_was.low_balance_credit_micros;
  tells_low boolean := fell and is_low
    and (not p_was.low_told or p_was.balance_credit_micros >= p_was.low_balance_credit_micros);
  tells_depleted boolean := fell and p_balance = 0 and not p_was.depleted_told;
  low_told_now boolean;
  depleted_told_now boolean;
  has_subscriber boolean := false;
begin
  if p_balance = p_was.balance_credit_micros or (fell and not (tells_low or tells_depleted)) then
    return false;
  end if;
  low_told_now := is_low and (p_was.low_told or tells_low);
  depleted_told_now := fell and (p_was.depleted_told or tells_depleted);
  if (low_told_now, depleted_told_now) <> (p_was.low_told, p_was.depleted_told) then
    update wallets w set low_told = low_told_now, depleted_told = depleted_told_now
      where w.user_id = p_was.user_id;
  end if;
  if tells_low then
    has_subscriber := turnpike.tell_balance(p_was.user_id, 'balance.low', 0, p_balance, p_moment);
  end if;
  if tells_depleted then
    if turnpike.tell_balance(p_was.user_id, 'balance.depleted', 1, p_balance, p_moment) then
      has_subscriber := true;
    end if;
  end if;
  return has_subscriber;
end $$;
