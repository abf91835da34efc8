-- The people of an account. Its own user and its members act for it, each with a role. Every request looks up the
-- current role, so a removed member has no rights from the next request on
-- (docs/decisions/0053-people-of-an-account.md).

-- True if a role has a right (ROLE_RIGHTS in src/base/member-roles.ts).
create function turnpike.role_may(p_role text, p_right text) returns boolean language sql immutable as $$
  select coalesce(case p_right
    when 'self' then true
    when 'read' then p_role in ('owner', 'developer', 'billing', 'read_only')
    when 'develop' then p_role in ('owner', 'developer')
    when 'bill' then p_role in ('owner', 'billing')
    when 'own' then p_role = 'owner'
  end, false)
$$;

-- The role of a person in an account now; null: the person is not one of its people.
create function turnpike.account_role(p_account bigint, p_person bigint) returns text language plpgsql stable as $$
begin
  if p_account = p_person then
    return (select nullif(u.own_role, 'none') from users u where u.user_id = p_account);
  end if;
  return (select m.role from account_members m where m.account_id = p_account and m.member_id = p_person);
end $$;

-- The person who acts: a member, or the account's own user.
create function turnpike.person_of(caller turnpike.caller) returns bigint language sql immutable as $$
  select coalesce(caller.person_id, caller.user_id)
$$;

-- The person who gets the answers to a caller: the one who acts, or who knows the value of the key.
create function turnpike.recipient_of(caller turnpike.caller) returns bigint language plpgsql stable as $$
begin
  if caller.kind is distinct from 'key' then
    return turnpike.person_of(caller);
  end if;
  return (select coalesce(k.made_by, k.user_id) from api_keys k where k.key_id = caller.key_id);
end $$;

-- True if keys and endpoints of a person get the own user's sign-ins: the person is this user, and still an owner.
-- After a transfer they belong to the new owner.
create function turnpike.gets_own_notices(p_account bigint, p_person bigint) returns boolean
language plpgsql stable as $$
begin
  return exists (select from users u
    where u.user_id = p_account and u.user_id = p_person and u.own_role = 'owner');
end $$;

-- The email of an account's owner: of its own user, or after a transfer of the enabled owner with an email who has been
-- a member for the longest time. Null: no owner has one.
create function turnpike.owner_email(p_account bigint) returns text language plpgsql stable as $$
begin
  return (select u.email from users a
    left join account_members m on m.account_id = a.user_id and m.role = 'owner' and a.own_role <> 'owner'
    join users u on u.user_id = coalesce(m.member_id, a.user_id)
    where a.user_id = p_account and u.disabled_at is null
    order by u.email is null, m.created_at, m.member_id limit 1);
end $$;

create type turnpike.named_account as (
  user_id bigint,
  name text -- null
);

-- The accounts that were handed over to a person, and have no other owner who can sign in.
create function turnpike.only_owner_of(p_person bigint) returns turnpike.named_account[] language plpgsql stable as $$
begin
  return array(select row(a.user_id, a.name)::turnpike.named_account
    from account_members m
      join users a on a.user_id = m.account_id
    where m.member_id = p_person and m.role = 'owner' and a.own_role <> 'owner' and a.disabled_at is null
      and not exists (select from account_members o join users p on p.user_id = o.member_id
        where o.account_id = a.user_id and o.role = 'owner' and o.member_id <> p_person and p.disabled_at is null)
    order by a.user_id);
end $$;

-- Makes a caller unusable if the page of the request was made for another user, who was signed in to this
-- browser before, or shows another account. As in when_proved, no procedure or query can omit the check.
create function turnpike.of_page(caller turnpike.caller, p_page_user bigint, p_page_account bigint)
returns turnpike.caller
language plpgsql immutable as $$
begin
  if (caller.usable or caller.missing = 'factor') is true
    and (p_page_user <> coalesce(caller.acting_user_id, caller.user_id) or p_page_account <> caller.user_id) is true
  then
    caller.usable := false;
    caller.missing := 'other_user';
  end if;
  return caller;
end $$;

-- The caller of a page that shows another account. If the session's user is its member, user_id becomes the account,
-- and person_id the user. missing: 'membership' or 'member_factor'.
-- A request with the right 'self' stays the user's own. All other callers are compared with their page (of_page).
create function turnpike.for_account(caller turnpike.caller, p_request turnpike.request) returns turnpike.caller
language plpgsql stable as $$
declare
  account users;
  member_role text;
begin
  if (caller.usable and caller.acting_user_id is null and p_request.needs is not null
    and p_request.page_user = caller.user_id and p_request.page_account <> caller.user_id) is not true
  then
    return turnpike.of_page(caller, p_request.page_user, p_request.page_account);
  end if;
  member_role := turnpike.account_role(p_request.page_account, caller.user_id);
  select u.* into account from users u where u.user_id = p_request.page_account;
  if member_role is null or account.disabled_at is not null then
    -- An admin may just have stopped acting as this user.
    if caller.role = 'admin' then
      return turnpike.of_page(caller, p_request.page_user, p_request.page_account);
    end if;
    caller.missing := 'membership';
    caller.usable := false;
  elsif p_request.needs <> 'self' then
    if account.members_need_factor and not turnpike.has_factor(caller.user_id) then
      caller.missing := 'member_factor';
      caller.usable := false;
    else
      caller.person_id := caller.user_id;
      caller.user_id := account.user_id;
      caller.role := 'user';
      caller.account_role := member_role;
    end if;
  end if;
  return caller;
end $$;

-- Makes a caller unusable if its role in the account lacks the right that the operation needs. As in when_proved, no
-- procedure or query can omit the check. missing: 'right'.
create function turnpike.when_allowed(caller turnpike.caller, p_needs text) returns turnpike.caller
language plpgsql immutable as $$
begin
  if caller.usable is true and p_needs is not null and not turnpike.role_may(caller.account_role, p_needs) then
    caller.usable := false;
    caller.missing := 'right';
  end if;
  return caller;
end $$;
