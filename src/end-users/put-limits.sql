-- Replaces an end user's limits, which belong to the account. end_user is null if the caller cannot access the
-- whole account, or if the account has reached its limit of end users (reached: the limit).
create function turnpike.put_end_user_limits(p_request turnpike.request,
  p_ref text, p_daily bigint, p_monthly bigint, p_blocked boolean, out actor turnpike.caller, out end_user turnpike.end_user_answer,
  out reached turnpike.count_state) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  if caller.scope = 'all' then
    if not exists (select from end_users e where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref) then
      -- The lock keeps two concurrent calls from taking the last place.
      perform from users u where u.user_id = caller.user_id for no key update;
      reached := turnpike.over_limit('end_users', caller.user_id, 1);
    end if;
  end if;
  if caller.scope = 'all' and reached.cap is null then
    insert into end_users (user_id, test, end_user_ref, daily_limit_credit_micros, monthly_limit_credit_micros, blocked, created_at,
      updated_at)
    values (caller.user_id, caller.test, p_ref, p_daily, p_monthly, p_blocked, p_request.moment, p_request.moment)
    on conflict (user_id, test, end_user_ref) do update set daily_limit_credit_micros = p_daily,
      monthly_limit_credit_micros = p_monthly, blocked = p_blocked, updated_at = p_request.moment;
    end_user := turnpike.end_user_answer_of(caller, p_ref, p_request.moment);
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;
