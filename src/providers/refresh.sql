-- These procedures lock the account before its credential, as save_provider does.

-- Reads an account's credential.
-- refreshing: a worker's claim on a refresh is valid. lost: the claim has expired, and the refresh never ended.
create function turnpike.credential_now(p_provider_id text, p_moment timestamptz)
returns table (pool text, health text, sealed text, expires_at timestamptz, version integer, refreshing boolean,
  lost boolean)
language sql stable rows 1 as $$
  select a.pool, a.health, c.sealed, c.expires_at, c.version, coalesce(c.refreshing_until > p_moment, false),
    coalesce(c.refreshing_until <= p_moment, false)
    from provider_accounts a
      join provider_credentials c on c.provider_id = a.provider_id
    where a.provider_id = p_provider_id
$$;

-- Claims the refresh of one version of a healthy account's credential for worker p_by until p_until.
-- claimed: true for exactly one worker. It stays true for a repeat by the same worker, whose
-- first answer may have been lost.
create function turnpike.claim_refresh(p_provider_id text, p_version integer, p_by text, p_until timestamptz,
  p_moment timestamptz)
returns table (claimed boolean, pool text) language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  was_healthy boolean;
begin
  select a.pool, a.health = 'healthy' into pool, was_healthy
    from provider_accounts a
    where a.provider_id = p_provider_id;
  update provider_credentials c set refreshing_until = p_until, refreshing_by = p_by
    where c.provider_id = p_provider_id and c.version = p_version and was_healthy
      and (c.refreshing_until is null or c.refreshing_by = p_by and c.refreshing_until > p_moment);
  claimed := found;
  return next;
end $$;

-- Saves the refreshed credential in place of p_version. A repeat of the same save succeeds again.
-- An account that was contained because the refresh took too long becomes healthy.
-- Returns false if a login or another refresh has changed the credential.
create function turnpike.save_refresh(p_provider_id text, p_version integer, p_sealed text, p_expires_at timestamptz,
  p_moment timestamptz) returns boolean language plpgsql as $$
declare
  saved boolean;
begin
  perform from provider_accounts a where a.provider_id = p_provider_id for no key update;
  update provider_credentials c set sealed = p_sealed, expires_at = p_expires_at, version = c.version + 1,
    refreshing_until = null, updated_at = p_moment
    where c.provider_id = p_provider_id and c.version = p_version;
  saved := found;
  if saved then
    update provider_accounts a set health = 'healthy', health_at = p_moment
      where a.provider_id = p_provider_id and a.health = 'contained';
  else
    saved := exists (select from provider_credentials c where c.provider_id = p_provider_id and c.sealed = p_sealed);
  end if;
  return saved;
end $$;

-- Ends the claim of a refresh that failed.
-- p_health: the account's new health; null: unchanged.
-- Returns false if the credential has another version, so that the refresh was not necessary.
create function turnpike.fail_refresh(p_provider_id text, p_version integer, p_health text, p_moment timestamptz)
returns boolean
language plpgsql as $$
declare
  same boolean;
begin
  perform from provider_accounts a where a.provider_id = p_provider_id for no key update;
  update provider_credentials c set refreshing_until = null
    where c.provider_id = p_provider_id and c.version = p_version;
  same := found;
  if same and p_health is not null then
    update provider_accounts a set health = p_health, health_at = p_moment
      where a.provider_id = p_provider_id and a.health <> p_health;
  end if;
  return same;
end $$;

-- Contains an account whose refresh never ended: its refresh token may be used up. Returns
-- whether there was such a refresh.
create function turnpike.contain_lost(p_provider_id text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  lost boolean;
begin
  perform from provider_accounts a where a.provider_id = p_provider_id for no key update;
  update provider_credentials c set refreshing_until = null
    where c.provider_id = p_provider_id and c.refreshing_until <= p_moment;
  lost := found;
  if lost then
    update provider_accounts a set health = 'contained', health_at = p_moment
      where a.provider_id = p_provider_id and a.health = 'healthy';
  end if;
  return lost;
end $$;

-- Replaces p_old with the same credential sealed with a newer key.
-- Returns false, and changes nothing, if the credential was changed in the meantime.
create function turnpike.reseal_provider(p_provider_id text, p_old text, p_sealed text) returns boolean
language plpgsql as $$
begin
  update provider_credentials c set sealed = p_sealed where c.provider_id = p_provider_id and c.sealed = p_old;
  return found;
end $$;
