-- The id of an Ed25519 key: the thumbprint of its JWK (RFC 7638, RFC 8037). p_public_key: `x` in base64url.
create function turnpike.signing_key_id(p_public_key text) returns text language sql immutable as $$
  select translate(rtrim(encode(sha256(convert_to('{"crv":"Ed25519","kty":"OKP","x":"' || p_public_key || '"}',
    'UTF8')), 'base64'), '='),
    '+/', '-_')
$$;

-- Publishes the public halves of keys. Each new one is in the audit log, because every document that it signs is valid
-- from then on. No worker may call it. Returns the number of new keys.
create function turnpike.note_signing_keys(p_public_keys text[], p_purpose text, p_moment timestamptz) returns integer
language plpgsql as $$
declare
  public_key text;
  added integer := 0;
begin
  foreach public_key in array p_public_keys loop
    if coalesce(public_key !~ '^[A-Za-z0-9_-]{43}$', true) then
      raise exception 'not an Ed25519 key' using errcode = 'check_violation';
    end if;
    insert into signing_keys (kid, public_key, purpose, created_at)
      values (turnpike.signing_key_id(public_key), public_key, p_purpose, p_moment)
      on conflict do nothing;
    if found then
      added := added + 1;
      perform turnpike.note_change(null, 'signing_key.add', 'signing_key', turnpike.signing_key_id(public_key), null,
        null, null, null, p_moment);
    end if;
  end loop;
  return added;
end $$;

-- Withdraws a key: it leaves the published keys and signs nothing more. outcome: 'withdrawn', 'already', 'unknown' or
-- 'last' (no other key of its purpose is left, so put a new one into the key ring first).
create function turnpike.withdraw_signing_key(p_kid text, p_reason text, p_moment timestamptz) returns text
language plpgsql as $$
declare
  key signing_keys;
begin
  perform pg_advisory_xact_lock(hashtext('signing keys'));
  select k.* into key from signing_keys k where k.kid = p_kid for no key update;
  if key.kid is null then
    return 'unknown';
  end if;
  if key.withdrawn_at is not null then
    return 'already';
  end if;
  if not exists (select from signing_keys k where k.kid <> p_kid and k.purpose = key.purpose
    and k.withdrawn_at is null) then
    return 'last';
  end if;
  update signing_keys k set withdrawn_at = p_moment, withdrawn_because = p_reason where k.kid = p_kid;
  return 'withdrawn';
end $$;
