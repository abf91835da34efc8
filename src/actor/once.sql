-- An earlier request with the same Idempotency-Key, and the resource that it created.
create type turnpike.earlier_request as (
  fingerprint text,
  resource_id text
);

-- Looks up an Idempotency-Key of the caller's account; null if it is new.
-- Concurrent requests with the same key wait here for a lock, and the second sees the result of the
-- first (design promise 11).
-- For a used key, a procedure changes nothing and returns the earlier request as `already`.
-- The verb then checks whether both requests are the same. Keys are kept for 7 days.
create function turnpike.used_key(caller turnpike.caller, p_once_key text) returns turnpike.earlier_request
language plpgsql as $$
declare
  earlier turnpike.earlier_request;
begin
  if p_once_key is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('once'), hashtext(caller.user_id || ' ' || caller.test || ' ' || p_once_key));
  select i.fingerprint, i.resource_id into earlier
    from idempotency_keys i
    where i.user_id = caller.user_id and i.test = caller.test and i.key = p_once_key;
  return case when found then earlier end;
end $$;

-- Records the resource that this request created with its key. A refused request creates nothing
-- and does not use up its key.
create function turnpike.note_key(caller turnpike.caller, p_once_key text, p_fingerprint text, p_resource_id text,
  p_moment timestamptz)
returns void language plpgsql as $$
begin
  if p_once_key is not null then
    insert into idempotency_keys (user_id, test, key, fingerprint, resource_id, created_at)
    values (caller.user_id, caller.test, p_once_key, p_fingerprint, p_resource_id, p_moment);
  end if;
end $$;

-- Forgets keys whose resources are taken back, so that the same request can be made again.
create function turnpike.forget_keys(caller turnpike.caller, p_once_keys text[]) returns void language plpgsql as $$
begin
  delete from idempotency_keys i
    where i.user_id = caller.user_id and i.test = caller.test and i.key = any (p_once_keys);
end $$;
