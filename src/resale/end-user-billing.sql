-- The wallet of an end user, and how its turns are charged. Credit micros.
create type turnpike.end_user_balance as (
  end_user_ref text,
  balance bigint,
  held bigint,
  available bigint,
  low_balance bigint, -- null: no wallet
  -- Whether new turns are paid from the wallet, and the name of the price, with where each is set: 'end_user', 'key',
  -- 'account' or 'none'.
  prepaid boolean,
  prepaid_source text,
  price text, -- null: the billed amount
  price_source text
);

create function turnpike.end_user_balance_of(caller turnpike.caller, p_ref text) returns turnpike.end_user_balance
language plpgsql stable as $$
declare
  own end_users;
  account test_defaults := turnpike.account_defaults(caller.user_id, caller.test);
  wallet end_user_wallets;
begin
  select e.* into own
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
  select w.* into wallet
    from end_user_wallets w
    where w.user_id = caller.user_id and w.test = caller.test and w.end_user_ref = p_ref;
  return row(p_ref, coalesce(wallet.balance_credit_micros, 0), coalesce(wallet.held_credit_micros, 0),
    coalesce(wallet.balance_credit_micros - wallet.held_credit_micros, 0), wallet.low_balance_credit_micros,
    coalesce(own.prepaid, caller.end_user_prepaid, account.end_user_prepaid, false),
    case when own.prepaid is not null then 'end_user' when caller.end_user_prepaid is not null then 'key'
      when account.end_user_prepaid is not null then 'account' else 'none' end,
    coalesce(own.price_name, caller.end_user_price, account.end_user_price),
    case when own.price_name is not null then 'end_user' when caller.end_user_price is not null then 'key'
      when account.end_user_price is not null then 'account' else 'none' end)::turnpike.end_user_balance;
end $$;

-- Returns the wallet of an end user. refused: 'scope'.
create function turnpike.get_end_user_balance(p_request turnpike.request, p_ref text, out actor turnpike.caller,
  out refused text, out balance turnpike.end_user_balance) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if caller.scope is distinct from 'all' then
    refused := 'scope';
  else
    balance := turnpike.end_user_balance_of(caller, p_ref);
  end if;
  {{caller.closes}}
end $$;

-- True if the caller's account has a price of this name.
create function turnpike.has_price(caller turnpike.caller, p_name text) returns boolean language plpgsql stable as $$
begin
  return exists (select from price_names n where n.user_id = caller.user_id and n.test = caller.test
    and n.name = p_name);
end $$;

-- Changes how the turns of an end user are charged. p_price, p_prepaid: null for the default.
-- p_keeps_price, p_keeps_prepaid, and null as p_low: leave the setting as it is.
-- refused: 'scope', 'price' (unknown) or 'limit' (reached).
create function turnpike.put_end_user_billing(p_request turnpike.request, p_ref text, p_price text,
  p_keeps_price boolean, p_prepaid boolean, p_keeps_prepaid boolean, p_low bigint,
  out actor turnpike.caller, out refused text, out reached turnpike.count_state, out balance turnpike.end_user_balance)
language plpgsql as $$
declare
  caller turnpike.caller;
  was turnpike.end_user_balance;
begin
  {{caller.opens}}
  -- The lock keeps the price from being deleted, and two calls from taking the last place.
  perform from users u where u.user_id = caller.user_id for no key update;
  refused := case when caller.scope is distinct from 'all' then 'scope'
    when p_price is not null and not turnpike.has_price(caller, p_price) then 'price' end;
  if refused is null
    and not exists (select from end_users e where e.user_id = caller.user_id and e.test = caller.test
      and e.end_user_ref = p_ref) then
    reached := turnpike.over_limit('end_users', caller.user_id, 1);
    refused := case when reached.cap is not null then 'limit' end;
  end if;
  if refused is null then
    was := turnpike.end_user_balance_of(caller, p_ref);
    insert into end_users as e (user_id, test, end_user_ref, price_name, prepaid, created_at, updated_at)
    values (caller.user_id, caller.test, p_ref, p_price, p_prepaid, p_request.moment, p_request.moment)
    on conflict (user_id, test,
      end_user_ref) do update set price_name = case when p_keeps_price then e.price_name else p_price end,
      prepaid = case when p_keeps_prepaid then e.prepaid else p_prepaid end, updated_at = p_request.moment;
    insert into end_user_wallets as w (user_id, test, end_user_ref, created_at)
    values (caller.user_id, caller.test, p_ref, p_request.moment)
    on conflict do nothing;
    update end_user_wallets w set low_balance_credit_micros = p_low
      where w.user_id = caller.user_id and w.test = caller.test and w.end_user_ref = p_ref and p_low is not null;
    balance := turnpike.end_user_balance_of(caller, p_ref);
    perform turnpike.note_own_change(p_request, caller, 'end_user.billing', 'end_user', p_ref,
      turnpike.billing_facts(was), turnpike.billing_facts(balance));
  end if;
  {{caller.closes}}
end $$;

-- How the turns of an end user are charged, for the audit log.
create function turnpike.billing_facts(b turnpike.end_user_balance) returns jsonb language sql immutable as $$
  select jsonb_build_object('price', b.price, 'price_source', b.price_source, 'prepaid', b.prepaid, 'prepaid_source',
    b.prepaid_source, 'low_balance_credit_micros', b.low_balance)
$$;

-- Books credit or a correction of an end user's wallet, once per Idempotency-Key. The first credit makes the end user
-- prepaid, unless a setting says otherwise.
-- refused: 'scope', 'too_low' (available: what a correction can take), 'too_much', or 'limit' (reached).
create function turnpike.credit_end_user(p_request turnpike.request, p_once_key text, p_fingerprint text, p_ref text,
  p_amount bigint, p_note text, out actor turnpike.caller, out already turnpike.earlier_request, out refused text,
  out reached turnpike.count_state, out available bigint, out entry end_user_ledger, out has_subscriber boolean)
language plpgsql as $$
declare
  caller turnpike.caller;
  booking turnpike.end_user_booking;
  is_unset boolean;
begin
  {{caller.opens}}
  already := turnpike.used_key(caller, p_once_key);
  has_subscriber := false;
  -- The key of a booking is kept with its entry, longer than the keys of other requests.
  select l.* into entry
    from end_user_ledger l
    where l.user_id = caller.user_id and l.test = caller.test and l.once_key = p_once_key;
  if entry.entry_id is not null then
    already := row(entry.fingerprint, entry.entry_id::text)::turnpike.earlier_request;
  end if;
  if already.resource_id is not null then
    {{caller.closes}}
    return;
  end if;
  refused := case when caller.scope is distinct from 'all' then 'scope' end;
  is_unset := (turnpike.end_user_balance_of(caller, p_ref)).prepaid_source is not distinct from 'none';
  if refused is null and p_amount > 0 and (is_unset is not false or not exists (select from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref))
  then
    perform from users u where u.user_id = caller.user_id for no key update;
    reached := turnpike.over_limit('end_users', caller.user_id, 1);
    if exists (select from end_users e where e.user_id = caller.user_id and e.test = caller.test
      and e.end_user_ref = p_ref) then
      reached := null;
    end if;
    refused := case when reached.cap is not null then 'limit' end;
    if refused is null then
      insert into end_users as e (user_id, test, end_user_ref, prepaid, created_at, updated_at)
      values (caller.user_id, caller.test, p_ref, case when is_unset then true end, p_request.moment, p_request.moment)
      on conflict (user_id, test, end_user_ref) do update set prepaid = coalesce(e.prepaid, excluded.prepaid);
    end if;
  end if;
  if refused is null then
    booking := turnpike.book_end_user(caller.user_id, caller.test, p_ref, p_amount, p_note, caller.key_id, p_once_key,
      p_fingerprint, p_request.moment);
    refused := booking.refused;
    available := booking.available;
    if refused is null then
      entry := booking.entry;
      has_subscriber := booking.has_subscriber;
      perform turnpike.note_own_change(p_request, caller, 'end_user.credit', 'end_user', p_ref, null,
        jsonb_build_object('entry_id', entry.entry_id, 'amount_credit_micros', p_amount, 'test', caller.test));
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, entry.entry_id::text, p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;
