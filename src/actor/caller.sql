-- The caller after it was looked up, with the same columns for a key and a session. `usable`: it may act. `expired`: its end has
-- passed.
create type turnpike.caller as (
  kind text,
  key_id text,
  name text,
  user_id bigint,
  scope text,
  space_id bigint,
  test boolean,
  expires_at timestamptz,
  created_at timestamptz,
  session_id text,
  role text,
  usable boolean,
  expired boolean,
  -- When its use was last noted.
  used_at timestamptz,
  -- Whether the key has a cap of its own, or a default for its end users.
  capped boolean,
  -- The user who acts in a space that is shared with them, while user_id is its owner (as_member).
  member_id bigint,
  -- The admin who acts as this user (src/actor/acting.sql), if one does.
  acting_user_id bigint,
  -- When the session's user has last proved who they are (null for a key).
  proved_at timestamptz,
  -- What stands in the way of a session: 'factor' (the code of its user's second factor is due, so it is not usable), 'enrolment' (an
  -- admin must have a second factor, and counts as a user until then).
  missing text,
  -- It is usable but for a fresh proof of who they are, which the operation asks for (src/base/powers.ts).
  unproved boolean
);

-- The token of a session or an acting session is `<id>.<secret>`. Only its hash is stored, so nothing that a worker can read is a token.
create function turnpike.id_of_token(p_token text) returns text language sql immutable as $$ select split_part(p_token, '.', 1) $$;

create function turnpike.hash_of_token(p_token text) returns bytea language sql immutable as $$ select sha256(convert_to(p_token, 'UTF8')) $$;

-- The caller that a credential names, usable or not; all columns are null when there is none. p_caller_token: the SHA-256 of a key's
-- value in hex (which no role reads), or the token of a session or of an acting session. p_caller_kind: key, session, or proved: a session
-- that is usable only with a fresh proof. p_caller_test: whether a session asks for test data. A rotated key's former value works until
-- its overlap ends.
create function turnpike.find_caller(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz)
returns turnpike.caller language plpgsql stable as $$
declare
  found_key api_keys;
  found_session sessions;
  owner users;
  ends_at timestamptz;
  valid boolean;
  given bytea;
begin
  if p_caller_kind = 'key' then
    given := decode(p_caller_token, 'hex');
    select k.* into found_key from api_keys k where k.hash = given;
    ends_at := found_key.expires_at;
    if found_key.key_id is null then
      select k.* into found_key from api_keys k where k.previous_hash = given;
      ends_at := least(found_key.expires_at, found_key.previous_expires_at);
    end if;
    if found_key.key_id is null then
      return null;
    end if;
    select u.* into owner from users u where u.user_id = found_key.user_id;
    valid := found_key.revoked_at is null and owner.disabled_at is null;
    return row('key', found_key.key_id, found_key.name, found_key.user_id, found_key.scope, found_key.space_id, found_key.test,
      found_key.expires_at, found_key.created_at, null, null,
      valid and coalesce(ends_at > p_moment, true), valid and coalesce(ends_at <= p_moment, false), found_key.last_used_at,
      num_nonnulls(found_key.daily_credit_micros, found_key.window_credit_micros, found_key.end_user_daily_credit_micros,
        found_key.end_user_monthly_credit_micros) > 0, null, null, null, null, false)::turnpike.caller;
  end if;
  if starts_with(p_caller_token, 'act_') then
    return turnpike.when_proved(turnpike.find_acting(p_caller_token, p_caller_test, p_moment), p_caller_kind, p_moment);
  end if;
  select n.* into found_session from sessions n
    where n.session_id = turnpike.id_of_token(p_caller_token) and n.token_hash = turnpike.hash_of_token(p_caller_token);
  return turnpike.when_proved(turnpike.caller_of_session(found_session, p_caller_test, p_moment), p_caller_kind, p_moment);
end $$;

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

-- The caller of a request, not usable without a fresh proof where its kind asks for one. So no procedure and no query can forget it.
create function turnpike.when_proved(caller turnpike.caller, p_caller_kind text, p_moment timestamptz) returns turnpike.caller
language plpgsql immutable as $$
begin
  if p_caller_kind = 'proved' and caller.usable is true and turnpike.is_fresh(caller, p_moment) is not true then
    caller.usable := false;
    caller.unproved := true;
  end if;
  return caller;
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

-- How long a proof of who somebody is counts (PROOF_MINUTES in src/base/powers.ts).
create function turnpike.proof_life() returns interval language sql immutable as $$ select interval '10 minutes' $$;

-- Whether a caller has lately proved who they are. A stolen cookie is not enough for what src/base/powers.ts guards.
create function turnpike.is_fresh(caller turnpike.caller, p_moment timestamptz) returns boolean language sql immutable as $$
  select coalesce(caller.proved_at > p_moment - turnpike.proof_life(), false)
$$;

-- Whether a caller has to prove first who they are, in procedures that ask in some cases only. A key is its own authority.
create function turnpike.lacks_proof(caller turnpike.caller, p_moment timestamptz) returns boolean language sql immutable as $$
  select caller.kind is distinct from 'key' and not turnpike.is_fresh(caller, p_moment)
$$;

-- Notes a caller's use: a key's once a minute, a session's once an hour, which moves its end to 30 days later (design section 7), as
-- far as its life goes. It does not wait for a row that another transaction has locked, so it may come after any other lock; the next use
-- notes it.
create function turnpike.note_use(caller turnpike.caller, p_moment timestamptz) returns void language plpgsql as $$
begin
  if caller.kind = 'key' then
    if caller.used_at is null or caller.used_at <= p_moment - interval '1 minute' then
      update api_keys k set last_used_at = p_moment
        from (select key_id from api_keys where key_id = caller.key_id for no key update skip locked) free
        where k.key_id = free.key_id and (k.last_used_at is null or k.last_used_at <= p_moment - interval '1 minute');
    end if;
  elsif caller.used_at <= p_moment - interval '1 hour' then
    update sessions n set last_seen_at = p_moment,
        expires_at = least(p_moment + interval '30 days', n.created_at + turnpike.session_life(caller.role))
      from (select session_id from sessions where session_id = caller.session_id for no key update skip locked) free
      where n.session_id = free.session_id and n.ended_at is null and n.last_seen_at <= p_moment - interval '1 hour';
  end if;
end $$;

-- Finds the caller and notes its use when it may act.
create function turnpike.act_as(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz)
returns turnpike.caller language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  if caller.usable then
    perform turnpike.note_use(caller, p_moment);
  end if;
  return caller;
end $$;

-- Whether a caller may use a space: same owner, same mode (live or test), within the scope (contract section 5). Never null: no key has
-- made the spaces of the dashboard, and a space that is not there has no owner. A query that is to find many by an index names the owner too.
create function turnpike.in_scope(caller turnpike.caller, space_owner bigint, space_test boolean, space_maker text, id bigint)
returns boolean language sql immutable as $$
  select coalesce(space_owner = caller.user_id and space_test = caller.test and (
    caller.scope = 'all'
    or (caller.scope = 'created' and space_maker = caller.key_id)
    or (caller.scope = 'space' and id = caller.space_id)), false)
$$;

-- The caller of an admin's procedure, and `refused`: null, or admin when the caller may not act or is not an admin now.
create type turnpike.admin_caller as (caller turnpike.caller, refused text);

create function turnpike.find_admin(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz)
returns turnpike.admin_caller language plpgsql stable as $$
declare
  found turnpike.admin_caller;
begin
  found.caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  if (found.caller).usable is not true or (found.caller).role is distinct from 'admin' then
    found.refused := 'admin';
  end if;
  return found;
end $$;

-- Whether If-Match allows an edit of a row: p_if_version null allows any version.
create function turnpike.is_stale(p_if_version integer, p_version integer) returns boolean language sql immutable as $$
  select p_if_version is not null and p_if_version is distinct from p_version
$$;
