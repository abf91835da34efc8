-- An end user's profile, as the account that owns it stores it.
create type turnpike.profile_answer as (
  end_user_ref text,
  profile jsonb,
  changed_at timestamptz -- null: there is no profile
);

-- Reads an end user's profile. answer: null if the caller cannot access the whole account.
create function turnpike.get_profile(p_request turnpike.request, p_ref text,
  out actor turnpike.caller, out answer turnpike.profile_answer)
language plpgsql as $$
declare
  caller turnpike.caller;
  own end_users;
begin
  {{caller.opens}}
  if caller.scope = 'all' then
    select e.* into own
      from end_users e
      where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
    answer := row(p_ref, coalesce(own.profile, '{}'), own.profile_changed_at)::turnpike.profile_answer;
  end if;
  {{caller.closes}}
end $$;

-- Replaces an end user's profile, or deletes it (p_profile is null). Turns that have started keep the earlier one.
-- answer: null if the caller cannot access the whole account, or if the account has reached its limit of end users
-- (reached: the limit).
create function turnpike.put_profile(p_request turnpike.request, p_ref text, p_profile jsonb,
  out actor turnpike.caller, out answer turnpike.profile_answer, out reached turnpike.count_state)
language plpgsql as $$
declare
  caller turnpike.caller;
  changed_at timestamptz := case when p_profile is not null then p_request.moment end;
begin
  {{caller.opens}}
  if caller.scope = 'all' then
    update end_users e set profile = p_profile, profile_changed_at = changed_at, updated_at = p_request.moment
      where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref;
    if not found and p_profile is not null then
      -- The lock keeps two concurrent calls from taking the last place.
      perform from users u where u.user_id = caller.user_id for no key update;
      reached := turnpike.over_limit('end_users', caller.user_id, 1);
      if reached.cap is null then
        insert into end_users (user_id, test, end_user_ref, profile, profile_changed_at, created_at, updated_at)
        values (caller.user_id, caller.test, p_ref, p_profile, changed_at, p_request.moment, p_request.moment)
        on conflict (user_id, test, end_user_ref) do update set profile = p_profile,
          profile_changed_at = p_request.moment, updated_at = p_request.moment;
      end if;
    end if;
    if reached.cap is null then
      answer := row(p_ref, coalesce(p_profile, '{}'), changed_at)::turnpike.profile_answer;
    end if;
  end if;
  {{caller.closes}}
end $$;
