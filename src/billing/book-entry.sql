-- The result of a booking.
create type turnpike.booking as (
  entry ledger, -- null: the booking was refused
  -- True if the entry had been booked before.
  replayed boolean,
  refused text, -- null
  -- True if an endpoint of the account must be woken.
  has_subscriber boolean
);

-- Books a ledger entry under the lock of its account's wallet, after the queued charges are posted.
-- A negative amount locks the whole account. Later statements see everything that was committed before that lock.
-- p_amount: credit micros, or null for a commission, which has an amount in a currency (p_currency, p_minor).
-- p_reference: if an entry with this reference exists, it is returned with replayed = true and nothing is booked.
-- booking.refused: 'no_account', or 'balance_too_low' if p_amount exceeds the available credit.
create function turnpike.book_entry(p_user_id bigint, p_reason text, p_amount bigint, p_turn_id text, p_reference text,
  p_currency text, p_minor bigint, p_actor text, p_note text, p_moment timestamptz, out booking turnpike.booking)
language plpgsql as $$
declare
  wallet wallets;
  booked ledger;
begin
  booking.replayed := false;
  booking.has_subscriber := false;
  if p_amount < 0 then
    perform turnpike.lock_account(p_user_id);
  end if;
  select w.* into wallet from wallets w where w.user_id = p_user_id for no key update;
  if wallet.user_id is null then
    perform turnpike.create_wallet(u.user_id) from users u where u.user_id = p_user_id;
    select w.* into wallet from wallets w where w.user_id = p_user_id for no key update;
  end if;
  if wallet.shards > 0 then
    booking.has_subscriber := turnpike.post_all(p_user_id, p_moment);
    select w.* into wallet from wallets w where w.user_id = p_user_id;
  end if;
  select l.* into booked from ledger l where l.reference = p_reference limit 1;
  if booked.ledger_id is not null then
    booking.replayed := true;
  elsif wallet.user_id is null then
    booking.refused := 'no_account';
  elsif (wallet.balance_credit_micros - (select s.held from turnpike.wallet_sums(p_user_id) s) + coalesce(p_amount, 0)
    >= 0) is not true then
    booking.refused := 'balance_too_low';
  else
    -- A concurrent booking for another account may insert the same reference. The next statement sees its row.
    insert into ledger (
        user_id, reason, amount_credit_micros, balance_after_credit_micros, turn_id, reference,
        currency, currency_amount_minor, actor, note, created_at)
    values (
        p_user_id, p_reason, p_amount, wallet.balance_credit_micros + coalesce(p_amount, 0), p_turn_id, p_reference,
        p_currency, p_minor, p_actor, p_note, p_moment)
    on conflict (reference) where reference is not null do nothing
    returning * into booked;
    booking.replayed := not found;
    if booking.replayed then
      select l.* into booked from ledger l where l.reference = p_reference;
    elsif p_amount is not null then
      update wallets w set balance_credit_micros = w.balance_credit_micros + p_amount
        where w.user_id = p_user_id;
      if p_amount > 0 then
        -- Turns that wait for credit can continue.
        update waiting_accounts w set due_at = '-infinity', raises = w.raises + 1
          where w.user_id = p_user_id and not w.test;
      end if;
      if turnpike.follow_balance(wallet, wallet.balance_credit_micros + p_amount, p_moment) then
        booking.has_subscriber := true;
      end if;
    end if;
  end if;
  if booked.ledger_id is not null then
    booking.entry := booked;
  end if;
end $$;
