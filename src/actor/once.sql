-- The request that used an Idempotency-Key before, and what it made.
create type turnpike.earlier_request as (
  fingerprint text,
  resource_id text
);

-- What an earlier request made under the same Idempotency-Key of its account (design promise 11); null when the key is new. Two
-- requests with one key wait here for each other; the second sees what the first did. Keys are kept for 7 days. A procedure that finds
-- a used key does nothing and answers it as `already`; the verb then checks whether the request was the same.
create function turnpike.used_key(caller turnpike.caller, p_once_key text) returns turnpike.earlier_request language plpgsql as $$
declare
  earlier turnpike.earlier_request;
begin
  if p_once_key is null then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('once'), hashtext(caller.user_id || ' ' || caller.test || ' ' || p_once_key));
  select i.fingerprint, i.resource_id into earlier from idempotency_keys i
    where i.user_id = caller.user_id and i.test = caller.test and i.key = p_once_key;
  return case when found then earlier end;
end $$;

-- Notes what this request has made under its key. A refused request has made nothing and does not use up its key.
create function turnpike.note_key(caller turnpike.caller, p_once_key text, p_fingerprint text, p_resource_id text, p_moment timestamptz)
returns void language plpgsql as $$
begin
  if p_once_key is not null then
    insert into idempotency_keys (user_id, test, key, fingerprint, resource_id, created_at)
    values (caller.user_id, caller.test, p_once_key, p_fingerprint, p_resource_id, p_moment);
  end if;
end $$;
