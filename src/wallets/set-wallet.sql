-- The wallet of an account is created here, and its settings are changed here. Other rooms decide about them.

-- Creates the empty wallet of an account, unless it has one.
create function turnpike.create_wallet(p_user_id bigint) returns void language plpgsql as $$
begin
  insert into wallets (user_id) values (p_user_id) on conflict do nothing;
end $$;

-- Sets the default limits of an account's end users, and the balance that counts as low.
create function turnpike.set_wallet_limits(p_user_id bigint, p_daily bigint, p_monthly bigint, p_low bigint)
returns void
language plpgsql as $$
begin
  perform turnpike.create_wallet(p_user_id);
  update wallets w set
      end_user_daily_credit_micros = p_daily,
      end_user_monthly_credit_micros = p_monthly,
      low_balance_credit_micros = p_low
    where w.user_id = p_user_id;
end $$;

-- Sets the default rate of an account's end users, after its wallet exists.
create function turnpike.set_wallet_rate(p_user_id bigint, p_rate jsonb) returns void language plpgsql as $$
begin
  update wallets w set end_user_rate = p_rate
    where w.user_id = p_user_id and w.end_user_rate is distinct from p_rate;
end $$;

-- Sets the default price of an account's end users, and whether they are prepaid by default.
create function turnpike.set_wallet_prices(p_user_id bigint, p_price text, p_prepaid boolean) returns void
language plpgsql as $$
begin
  perform turnpike.create_wallet(p_user_id);
  update wallets w set end_user_price = p_price, end_user_prepaid = p_prepaid where w.user_id = p_user_id;
end $$;

-- Sets the keys of metadata by which an account's usage may be grouped.
create function turnpike.set_usage_keys(p_user_id bigint, p_keys jsonb) returns void language plpgsql as $$
begin
  perform turnpike.create_wallet(p_user_id);
  update wallets w set usage_keys = p_keys where w.user_id = p_user_id;
end $$;
