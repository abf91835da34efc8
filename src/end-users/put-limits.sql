-- Replaces an end user's limits, which belong to the account: end_user is null when the caller sees less than the whole account.
create function turnpike.put_end_user_limits(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_ref text, p_daily bigint, p_monthly bigint, p_blocked boolean, out actor jsonb, out end_user jsonb) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  if caller.scope = 'all' then
    insert into end_users (user_id, test, end_user_ref, daily_limit_credit_micros, monthly_limit_credit_micros, blocked, created_at,
      updated_at)
    values (caller.user_id, caller.test, p_ref, p_daily, p_monthly, p_blocked, p_moment, p_moment)
    on conflict (user_id, test, end_user_ref) do update set daily_limit_credit_micros = p_daily,
      monthly_limit_credit_micros = p_monthly, blocked = p_blocked, updated_at = p_moment;
    end_user := turnpike.end_user_json(caller, p_ref, p_moment);
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;
