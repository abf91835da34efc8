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

-- An end user changes facts of their own profile in a portal that began at p_since. p_keys: the facts that the owner
-- lets them change. p_values: the new ones; a missing fact is deleted. p_most: the most keys and bytes.
-- outcome: 'changed', 'erased', 'denied' (the caller cannot access the whole account), 'large', or 'reached' (the limit
-- of end users). The audit log gets the names of the facts, and no values.
create function turnpike.change_own_profile(p_request turnpike.request, p_ref text, p_since timestamptz, p_keys text[],
  p_values jsonb, p_most jsonb, out actor turnpike.caller, out outcome text, out answer turnpike.profile_answer)
language plpgsql as $$
declare
  caller turnpike.caller;
  own end_users;
  profile jsonb;
  changed text[];
begin
  {{caller.opens}}
  -- The lock keeps two concurrent changes from losing one of them.
  perform from users u where u.user_id = caller.user_id for no key update;
  select e.* into own
    from end_users e
    where e.user_id = caller.user_id and e.test = caller.test and e.end_user_ref = p_ref for no key update;
  profile := (coalesce(own.profile, '{}') - p_keys) || p_values;
  changed := array(select k from unnest(p_keys) k where own.profile -> k is distinct from profile -> k order by k);
  outcome := case when caller.scope is distinct from 'all' then 'denied'
    when exists (select from erasures e where e.user_id = caller.user_id and e.test = caller.test
      and e.end_user_ref = p_ref and e.requested_at >= p_since) then 'erased'
    -- jsonb as text has a space after each colon and comma.
    when (select count(*) > (p_most -> 'keys')::integer
        or octet_length(profile::text) - 2 * count(*) > (p_most -> 'bytes')::integer from jsonb_object_keys(profile))
      then 'large'
    when own.end_user_ref is null and (turnpike.over_limit('end_users', caller.user_id, 1)).cap is not null
      then 'reached'
    else 'changed' end;
  if outcome = 'changed' and cardinality(changed) > 0 then
    insert into end_users (user_id, test, end_user_ref, profile, profile_changed_at, created_at, updated_at)
    values (caller.user_id, caller.test, p_ref, profile, p_request.moment, p_request.moment, p_request.moment)
    on conflict (user_id, test, end_user_ref) do update set profile = excluded.profile,
      profile_changed_at = p_request.moment, updated_at = p_request.moment;
    perform turnpike.note_change(null, 'portal.profile', 'end_user', p_ref, null,
      jsonb_build_object('user_id', caller.user_id, 'test', caller.test, 'facts', to_jsonb(changed)),
      p_request.request_id, p_request.address, p_request.moment);
  end if;
  answer := row(p_ref, profile, p_request.moment)::turnpike.profile_answer;
  {{caller.closes}}
end $$;
