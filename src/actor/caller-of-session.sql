-- What each procedure of a caller takes first: the credential (find_caller), the moment, and what the audit log notes of a request.
create type turnpike.request as (
  kind text, -- null: the system itself asks
  token text, -- null: the system itself asks
  test boolean, -- null: the system itself asks
  moment timestamptz,
  request_id text, -- null
  address text -- null: it is not known
);

-- The caller after it was looked up, with the same columns for a key and a session. `usable`: it may act. `expired`: its end has
-- passed.
create type turnpike.caller as (
  kind text,
  key_id text, -- null: a session has none
  name text, -- null
  user_id bigint,
  scope text,
  space_id bigint, -- null: its scope is not one space
  test boolean,
  expires_at timestamptz, -- null: it has no end
  created_at timestamptz,
  session_id text, -- null: a key has none
  role text, -- null: a key has none
  usable boolean,
  expired boolean,
  -- When its use was last noted.
  used_at timestamptz, -- null
  -- Whether the key has a cap of its own, or a default for its end users.
  capped boolean,
  -- The user who acts in a space that is shared with them, while user_id is its owner (as_member).
  member_id bigint, -- null
  -- The admin who acts as this user (src/actor/acting.sql), if one does.
  acting_user_id bigint, -- null
  -- When the session's user has last proved who they are (null for a key).
  proved_at timestamptz, -- null
  -- What stands in the way of a session: 'factor' (the code of its user's second factor is due, so it is not usable), 'enrolment' (an
  -- admin must have a second factor, and counts as a user until then).
  missing text, -- null
  -- It is usable but for a fresh proof of who they are, which the operation asks for (src/base/powers.ts).
  unproved boolean
);

-- The token of a session or an acting session is `<id>.<secret>`. Only its hash is stored, so nothing that a worker can read is a token.
create function turnpike.id_of_token(p_token text) returns text language sql immutable as $$ select split_part(p_token, '.', 1) $$;

create function turnpike.hash_of_token(p_token text) returns bytea language sql immutable as $$ select sha256(convert_to(p_token, 'UTF8')) $$;

-- The caller of a session, usable or not; null when the row is empty.
create function turnpike.caller_of_session(found_session sessions, p_test boolean, p_moment timestamptz) returns turnpike.caller
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
    found_session.session_id, owner.role, valid and ends_at > p_moment, valid and ends_at <= p_moment, found_session.last_seen_at, false,
    null, null, coalesce(found_session.proved_at, found_session.created_at), missing, false)::turnpike.caller;
end $$;

-- How long a session can last at most, however much it is used (SESSION_POLICY in src/sign-in/policies.ts).
create function turnpike.session_life(p_role text) returns interval language sql immutable as $$
  select case p_role when 'admin' then interval '12 hours' else interval '90 days' end
$$;

-- Whether the setting asks admins for a second factor, and this one has none.
create function turnpike.lacks_factor(p_user_id bigint) returns boolean language plpgsql stable as $$
begin
  return exists (select from settings s where s.key = 'admin_second_factor' and s.value = '"required"')
    and not turnpike.has_factor(p_user_id);
end $$;

create function turnpike.has_factor(p_user_id bigint) returns boolean language plpgsql stable as $$
begin
  return exists (select from second_factors f where f.user_id = p_user_id and f.confirmed_at is not null);
end $$;
