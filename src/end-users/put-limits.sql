-- Replaces an end user's limits, which belong to the account. end_user is null if the caller cannot access the
-- whole account, or if the account has reached its limit of end users (reached: the limit).
-- refused: proof (a limit would be raised or removed, or the end user unblocked, and the caller has not proved their
-- identity recently).
create function turnpike.put_end_user_limits(p_request turnpike.request,
  p_ref text, p_daily bigint, p_monthly bigint, p_blocked boolean, p_rate jsonb, out actor turnpike.caller,
  out end_user turnpike.end_user_answer, out reached turnpike.count_state, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  was jsonb;
begin
  {{caller.opens}}
  if caller.scope = 'all' then
    was := turnpike.limit_facts(caller, p_ref);
    if not exists (select from end_users e where e.user_id = caller.user_id and e.test = caller.test
      and e.end_user_ref = p_ref) then
      -- The lock keeps two concurrent calls from taking the last place.
      perform from users u where u.user_id = caller.user_id for no key update;
      reached := turnpike.over_limit('end_users', caller.user_id, 1);
    end if;
  end if;
  if caller.scope is not distinct from 'all' and turnpike.lacks_proof(caller, p_request.moment)
    and turnpike.loosens_end_user(caller, p_ref, p_daily, p_monthly, p_blocked, p_rate)
  then
    refused := 'proof';
  end if;
  if caller.scope = 'all' and reached.cap is null and refused is null then
    insert into end_users (
        user_id, test, end_user_ref, daily_limit_credit_micros, monthly_limit_credit_micros, blocked, rate, created_at,
        updated_at)
    values (
        caller.user_id, caller.test, p_ref, p_daily, p_monthly, p_blocked, p_rate, p_request.moment,
        p_request.moment)
    on conflict (user_id, test, end_user_ref) do update set daily_limit_credit_micros = p_daily,
      monthly_limit_credit_micros = p_monthly, blocked = p_blocked, rate = p_rate, updated_at = p_request.moment;
    end_user := turnpike.end_user_answer_of(caller, p_ref, p_request.moment);
    perform turnpike.note_own_change(p_request, caller, 'end_user.limits', 'end_user', p_ref, was,
      turnpike.limit_facts(caller, p_ref));
  end if;
  {{caller.closes}}
end $$;

-- The limits of an end user, for the audit log; null for an unknown one.
create function turnpike.limit_facts(caller turnpike.caller, p_ref text) returns jsonb language plpgsql stable as $$
begin
  return (select jsonb_build_object('daily_credit_micros', e.daily_limit_credit_micros, 'monthly_credit_micros',
    e.monthly_limit_credit_micros, 'blocked', e.blocked, 'rate', e.rate, 'test', e.test)
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref);
end $$;

-- True if an end user could spend more than before. Without a limit of their own, the account's applies.
create function turnpike.loosens_end_user(caller turnpike.caller, p_ref text, p_daily bigint, p_monthly bigint,
  p_blocked boolean, p_rate jsonb)
returns boolean language plpgsql stable as $$
declare
  was end_users;
  usual wallets;
begin
  select e.* into was
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
  select w.* into usual from wallets w where w.user_id = caller.user_id;
  return turnpike.is_looser(coalesce(was.daily_limit_credit_micros, usual.end_user_daily_credit_micros),
      coalesce(p_daily, usual.end_user_daily_credit_micros))
    or turnpike.is_looser(coalesce(was.monthly_limit_credit_micros, usual.end_user_monthly_credit_micros),
      coalesce(p_monthly, usual.end_user_monthly_credit_micros))
    or turnpike.is_looser_rate(coalesce(was.rate, usual.end_user_rate), coalesce(p_rate, usual.end_user_rate))
    or (coalesce(was.blocked, false) and not p_blocked);
end $$;
