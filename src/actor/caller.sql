-- Finds the caller of a credential, usable or not. Returns null for an unknown credential.
-- p_request.kind: 'key', 'session', or 'proved' (a session that needs a fresh proof to be usable).
-- p_request.token: the SHA-256 of a key in hex (which no role can read), or the token of a session
-- or an acting session.
-- p_request.test: true if a session requests test data.
-- A former value of a rotated key works until its overlap ends.
create function turnpike.find_caller(p_request turnpike.request)
returns turnpike.caller language plpgsql stable as $$
declare
  found_key api_keys;
  former former_key_values;
  found_session sessions;
  owner users;
  ends_at timestamptz;
  valid boolean;
  given bytea;
begin
  if p_request.kind = 'key' then
    given := decode(p_request.token, 'hex');
    select k.* into found_key from api_keys k where k.hash = given;
    ends_at := found_key.expires_at;
    if found_key.key_id is null then
      select f.* into former from former_key_values f where f.hash = given;
      select k.* into found_key from api_keys k where k.key_id = former.key_id;
      ends_at := least(found_key.expires_at, former.works_until);
    end if;
    if found_key.key_id is null then
      return null;
    end if;
    select u.* into owner from users u where u.user_id = found_key.user_id;
    valid := found_key.revoked_at is null and owner.disabled_at is null;
    return turnpike.when_allowed(row('key', found_key.key_id, found_key.name, found_key.user_id, found_key.scope,
      found_key.space_id, found_key.test, found_key.expires_at, found_key.created_at, null, null,
      valid and coalesce(ends_at > p_request.moment, true), valid and coalesce(ends_at <= p_request.moment, false),
      found_key.last_used_at, turnpike.key_has_caps(found_key), null, null, null, null, false,
      found_key.end_user_price, found_key.end_user_prepaid, found_key.rate, found_key.end_user_rate,
      found_key.role, null)::turnpike.caller, p_request.needs);
  end if;
  if starts_with(p_request.token, 'act_') then
    return turnpike.when_proved(
      turnpike.for_account(turnpike.find_acting(p_request.token, p_request.test, p_request.moment), p_request),
      p_request.kind, p_request.moment);
  end if;
  select n.* into found_session
    from sessions n
    where n.session_id = turnpike.id_of_token(p_request.token)
      and n.token_hash = turnpike.hash_of_token(p_request.token);
  return turnpike.when_proved(
    turnpike.when_allowed(
      turnpike.for_account(turnpike.caller_of_session(found_session, p_request.test, p_request.moment), p_request),
      p_request.needs),
    p_request.kind, p_request.moment);
end $$;

-- Makes a caller unusable if its request needs a fresh proof and has none. The lookup itself checks
-- this, so that no procedure or query can omit the check.
create function turnpike.when_proved(caller turnpike.caller, p_caller_kind text, p_moment timestamptz)
returns turnpike.caller
language plpgsql immutable as $$
begin
  if p_caller_kind = 'proved' and caller.usable is true and turnpike.is_fresh(caller, p_moment) is not true then
    caller.usable := false;
    caller.unproved := true;
  end if;
  return caller;
end $$;

-- How long a proof of identity is fresh (PROOF_MINUTES in src/base/powers.ts).
create function turnpike.proof_life() returns interval language sql immutable as $$ select interval '10 minutes' $$;

-- True if the caller has a fresh proof of identity. A stolen cookie alone cannot use the operations
-- that src/base/operation-powers.ts guards.
create function turnpike.is_fresh(caller turnpike.caller, p_moment timestamptz) returns boolean
language sql immutable as $$
  select coalesce(caller.proved_at > p_moment - turnpike.proof_life(), false)
$$;

-- True if the caller must first prove their identity, for procedures that require it only in some
-- cases. A key needs no proof.
create function turnpike.lacks_proof(caller turnpike.caller, p_moment timestamptz) returns boolean
language sql immutable as $$
  select caller.kind is distinct from 'key' and not turnpike.is_fresh(caller, p_moment)
$$;

-- Records a caller's use: of a key once per minute, of a session once per hour.
-- A session's expiry moves to 30 days later, within its maximum age (docs/architecture/sign-in.md).
-- A locked row is skipped and recorded at the next use. So this never waits, and may follow any other lock.
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

-- Finds the caller, and records the use if the caller may act.
create function turnpike.act_as(p_request turnpike.request)
returns turnpike.caller language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_request);
  if caller.usable then
    perform turnpike.note_use(caller, p_request.moment);
  end if;
  return caller;
end $$;

-- True if a caller may use a space: same owner, same mode (live or test), within the scope (docs/contract.md).
-- Never null: a space without a creating key, or an unknown space, gives false.
-- A query that must find many rows by an index also compares the owner itself.
create function turnpike.in_scope(caller turnpike.caller, space_owner bigint, space_test boolean, space_maker text,
  id bigint)
returns boolean language sql immutable as $$
  select coalesce(space_owner = caller.user_id and space_test = caller.test and (
    caller.scope = 'all'
    or (caller.scope = 'created' and space_maker = caller.key_id)
    or (caller.scope = 'space' and id = caller.space_id)), false)
$$;

-- The caller of an admin procedure. refused: null, or 'admin' if the caller may not act or is not an admin now.
create type turnpike.admin_caller as (caller turnpike.caller, refused text);

create function turnpike.find_admin(p_request turnpike.request)
returns turnpike.admin_caller language plpgsql stable as $$
declare
  admin turnpike.admin_caller;
begin
  admin.caller := turnpike.find_caller(p_request);
  if (admin.caller).usable is not true or (admin.caller).role is distinct from 'admin' then
    admin.refused := 'admin';
  end if;
  return admin;
end $$;

-- True if If-Match forbids an edit. p_if_version null allows any version of the row.
create function turnpike.is_stale(p_if_version integer, p_version integer) returns boolean language sql immutable as $$
  select p_if_version is not null and p_if_version is distinct from p_version
$$;
