-- Replaces an account's default limits and default rate for its end users, and the balance that counts as low.
-- The new limits apply from the next accepted turn on.
-- refused: proof (a limit would be raised or removed, and the caller has not proved their identity recently).
create function turnpike.put_account_limits(p_request turnpike.request,
  p_daily bigint, p_monthly bigint, p_low bigint, p_rate jsonb, out actor turnpike.caller, out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
  was wallets;
begin
  {{caller.opens}}
  select w.* into was from wallets w where w.user_id = caller.user_id;
  if turnpike.lacks_proof(caller, p_request.moment) and (turnpike.is_looser(was.end_user_daily_credit_micros, p_daily)
    or turnpike.is_looser(was.end_user_monthly_credit_micros, p_monthly)
    or turnpike.is_looser_rate(was.end_user_rate, p_rate))
  then
    refused := 'proof';
    return;
  end if;
  if (was.end_user_daily_credit_micros, was.end_user_monthly_credit_micros, was.low_balance_credit_micros)
    is distinct from (p_daily, p_monthly, p_low)
  then
    -- Admins see these limits when they edit the account, so a change needs a new version.
    update users u set version = u.version + 1, updated_at = p_request.moment, updated_by = null
      where u.user_id = caller.user_id;
  end if;
  perform turnpike.set_wallet_limits(caller.user_id, p_daily, p_monthly, p_low);
  perform turnpike.set_wallet_rate(caller.user_id, p_rate);
  perform turnpike.note_own_change(p_request, caller, 'account.limits', 'user', caller.user_id::text,
    turnpike.account_limit_facts(was.end_user_daily_credit_micros, was.end_user_monthly_credit_micros,
    was.low_balance_credit_micros, was.end_user_rate),
    turnpike.account_limit_facts(p_daily, p_monthly, p_low, p_rate));
  {{caller.closes}}
end $$;

-- The account's limits for its end users, for the audit log.
create function turnpike.account_limit_facts(p_daily bigint, p_monthly bigint, p_low bigint, p_rate jsonb)
returns jsonb language sql immutable as $$
  select jsonb_build_object('end_user_daily_credit_micros', p_daily, 'end_user_monthly_credit_micros', p_monthly,
    'low_balance_credit_micros', p_low, 'end_user_rate', p_rate)
$$;
