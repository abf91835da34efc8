-- The first argument of each procedure that acts for a caller: the credential (see find_caller),
-- the time, and the request's fields for the audit log.
create type turnpike.request as (
  kind text, -- null: the system is the caller
  token text, -- null: the system is the caller
  test boolean, -- null: the system is the caller
  moment timestamptz,
  request_id text, -- null
  address text, -- null: unknown
  -- The user for whom the page was made that sent the request, and the account that it shows (see of_page).
  page_user bigint, -- null: not said
  page_account bigint, -- null: not said
  if_config integer, -- null: a change of a space's configuration may follow any version
  -- The right that the operation needs (src/base/operation-rights.ts).
  needs text -- null: the operation belongs to no account
);

-- The request of a caller about which nothing else is known. A new field of the type changes no caller of this.
create function turnpike.request_of(p_kind text, p_token text, p_test boolean, p_moment timestamptz)
returns turnpike.request
language sql stable as $$
  select jsonb_populate_record(null::turnpike.request,
    jsonb_build_object('kind', p_kind, 'token', p_token, 'test', p_test,
    'moment', p_moment))
$$;

-- The caller after the lookup, with the same columns for a key and a session. usable: it may act.
-- expired: its expiry has passed.
create type turnpike.caller as (
  kind text,
  key_id text, -- null: a session has none
  name text, -- null
  user_id bigint,
  scope text,
  space_id bigint, -- null: the scope is not one space
  test boolean,
  expires_at timestamptz, -- null: it does not expire
  created_at timestamptz,
  session_id text, -- null: a key has none
  role text, -- null: a key has none
  usable boolean,
  expired boolean,
  -- When its use was last recorded.
  used_at timestamptz, -- null
  -- True if the key has a cap of its own, or default caps for its end users.
  capped boolean,
  -- The user who acts in a shared space, while user_id is the space's owner (see as_member).
  member_id bigint, -- null
  -- The admin who acts as this user (src/actor/acting.sql).
  acting_user_id bigint, -- null
  -- When the session's user last proved their identity.
  proved_at timestamptz, -- null
  -- What a session lacks. 'factor', 'other_user': a code is due, or the page was made for another user.
  -- 'enrolment': an admin has no second factor, and counts as a user until then.
  -- 'membership', 'member_factor', 'right': see account-role.sql.
  missing text, -- null
  -- True if only a fresh proof of identity is missing, which the operation requires (src/base/operation-powers.ts).
  unproved boolean,
  -- The defaults of the key for its end users (src/resale/sale.sql).
  end_user_price text, -- null
  end_user_prepaid boolean, -- null
  -- The rates of the key and of each of its end users (src/quotas/rate.ts).
  rate jsonb, -- null
  end_user_rate jsonb, -- null
  -- The role whose rights the caller has in the account: of the person, or of the key (account-role.sql). 'none': the
  -- account's own user has no rights in it any more.
  account_role text,
  -- The member who acts for the account, while user_id is the account.
  person_id bigint -- null
);

-- The token of a session or an acting session is `<id>.<secret>`. Only its hash is stored, so a
-- worker that reads the database gets no token.
create function turnpike.id_of_token(p_token text) returns text
language sql immutable as $$ select split_part(p_token, '.', 1) $$;

create function turnpike.hash_of_token(p_token text) returns bytea
language sql immutable as $$ select sha256(convert_to(p_token, 'UTF8')) $$;

-- The caller of a session, usable or not; null if the row is empty.
create function turnpike.caller_of_session(found_session sessions, p_test boolean, p_moment timestamptz)
returns turnpike.caller
language plpgsql stable as $$
declare
  owner users;
  ends_at timestamptz;
  valid boolean;
  missing text;
begin
  if found_session.session_id is null then
    return null;
  end if;
  select u.* into owner from users u where u.user_id = found_session.user_id;
  valid := found_session.ended_at is null and found_session.epoch = owner.session_epoch and owner.disabled_at is null;
  ends_at := least(found_session.expires_at, found_session.created_at + turnpike.session_life(owner.role));
  if found_session.factor_due then
    missing := case when valid and ends_at > p_moment then 'factor' end;
    valid := false;
  elsif owner.role = 'admin' and turnpike.lacks_factor(owner.user_id) then
    owner.role := 'user';
    missing := 'enrolment';
  end if;
  return row('session', null, owner.name, owner.user_id, 'all', null, p_test, ends_at, found_session.created_at,
    found_session.session_id, owner.role, valid and ends_at > p_moment, valid and ends_at <= p_moment,
    found_session.last_seen_at, false, null, null, coalesce(found_session.proved_at, found_session.created_at), missing,
    false, null, null, null, null, owner.own_role, null)::turnpike.caller;
end $$;

-- The maximum age of a session, however often it is used (SESSION_POLICY in src/sign-in/policies.ts).
create function turnpike.session_life(p_role text) returns interval language sql immutable as $$
  select case p_role when 'admin' then interval '12 hours' else interval '90 days' end
$$;

-- True if the setting requires a second factor for admins and this user has none.
create function turnpike.lacks_factor(p_user_id bigint) returns boolean language plpgsql stable as $$
begin
  return exists (select from settings s where s.key = 'admin_second_factor' and s.value = '"required"')
    and not turnpike.has_factor(p_user_id);
end $$;

create function turnpike.has_factor(p_user_id bigint) returns boolean language plpgsql stable as $$
begin
  return exists (select from second_factors f where f.user_id = p_user_id and f.confirmed_at is not null);
end $$;
