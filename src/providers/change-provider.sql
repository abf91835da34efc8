-- Locks an account for an admin's change and returns it, or null if it does not exist or is not in p_pool.
-- p_pool: null matches any pool but media.
-- Changes of one pool run one after another. If two admins disable the last two healthy
-- accounts, the later one is refused.
create function turnpike.lock_provider(p_provider_id text, p_pool text) returns provider_accounts language plpgsql as $$
declare
  was provider_accounts;
begin
  select a.* into was from provider_accounts a where a.provider_id = p_provider_id;
  if was.provider_id is null or was.pool is distinct from coalesce(p_pool, nullif(was.pool, 'media')) then
    return null;
  end if;
  perform pg_advisory_xact_lock(hashtext('provider_pool'), hashtext(was.pool));
  select a.* into was from provider_accounts a where a.provider_id = p_provider_id for no key update;
  return was;
end $$;

-- The facts about an account that the audit log keeps.
create function turnpike.provider_facts(account provider_accounts) returns jsonb language sql immutable as $$
  select to_jsonb(account) - '{created_at,updated_at,updated_by,version}'::text[]
$$;

-- Disables an account for an admin: it gets no calls, and its credential is not refreshed.
-- p_pool: the pool that the account must be in, or null.
-- refused: admin, not_found, stale, last_healthy (in the alt-pool).
create function turnpike.disable_provider(p_request turnpike.request,
  p_provider_id text, p_pool text, p_reason text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.provider_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was provider_accounts;
  changed provider_accounts;
begin
  {{admin.opens row}}
  was := turnpike.lock_provider(p_provider_id, p_pool);
  if was.provider_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif was.pool = 'alt-pool' and turnpike.is_last_healthy(p_provider_id, was.pool, p_request.moment) then
    refused := 'last_healthy';
  elsif was.disabled_at is null or p_reason <> coalesce(was.disabled_reason, '') then
    update provider_accounts a set disabled_at = coalesce(a.disabled_at, p_request.moment),
      disabled_reason = coalesce(p_reason, a.disabled_reason), version = a.version + 1,
      updated_at = p_request.moment, updated_by = (admin.caller).user_id
      where a.provider_id = p_provider_id
      returning a.* into changed;
    perform turnpike.note_change((admin.caller).user_id, 'provider.disable', 'provider', p_provider_id,
      turnpike.provider_facts(was), turnpike.provider_facts(changed), p_request.request_id, p_request.address,
      p_request.moment);
  end if;
  entity := (select r from turnpike.provider_rows(array[p_provider_id], p_request.moment) r);
  {{admin.closes row}}
end $$;

-- Enables an account for an admin. If it has a credential, this also clears a refused login, a
-- refresh whose outcome is unknown, and a suspension. Cooling stays, since the provider asked for it.
-- refused: admin, not_found, stale.
create function turnpike.enable_provider(p_request turnpike.request,
  p_provider_id text, p_pool text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.provider_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was provider_accounts;
  changed provider_accounts;
  opened boolean;
  given_up integer;
  was_suspended boolean;
begin
  {{admin.opens row}}
  was := turnpike.lock_provider(p_provider_id, p_pool);
  if was.provider_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  else
    update provider_credentials c set refreshing_until = null
      where c.provider_id = p_provider_id and c.refreshing_until <= p_request.moment;
    get diagnostics given_up = row_count;
    was_suspended := turnpike.end_suspension(p_provider_id);
    opened := exists (select from provider_credentials c where c.provider_id = p_provider_id);
    if was.disabled_at is not null or given_up > 0 or was_suspended or (opened and was.health <> 'healthy') then
      update provider_accounts a set disabled_at = null, disabled_reason = null, version = a.version + 1,
        health = case when opened then 'healthy' else a.health end,
        health_at = case when opened and a.health <> 'healthy' then p_request.moment else a.health_at end,
        updated_at = p_request.moment, updated_by = (admin.caller).user_id
        where a.provider_id = p_provider_id
        returning a.* into changed;
      perform turnpike.note_change((admin.caller).user_id, 'provider.enable', 'provider', p_provider_id,
        turnpike.provider_facts(was), turnpike.provider_facts(changed), p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  entity := (select r from turnpike.provider_rows(array[p_provider_id], p_request.moment) r);
  {{admin.closes row}}
end $$;

-- Removes an account for an admin, with its credential and its state. Its usage, snapshots and hours stay.
-- Returns the account as it was; last_healthy: no enabled and healthy account is left in its pool. Removing such an
-- account is allowed, and only disabling it is refused.
-- refused: admin, not_found, stale.
create function turnpike.remove_provider(p_request turnpike.request,
  p_provider_id text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.provider_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was provider_accounts;
begin
  {{admin.opens row}}
  was := turnpike.lock_provider(p_provider_id, null);
  entity := (select r from turnpike.provider_rows(array[p_provider_id], p_request.moment) r);
  if was.provider_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  else
    delete from provider_accounts a where a.provider_id = p_provider_id;
    insert into former_providers as f (provider_id, pool, name, removed_at)
      values (was.provider_id, was.pool, was.name, p_request.moment)
      on conflict (provider_id) do update set pool = excluded.pool, name = excluded.name,
        removed_at = excluded.removed_at;
    perform turnpike.note_change((admin.caller).user_id, 'provider.remove', 'provider', p_provider_id,
      turnpike.provider_facts(was), null, p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Stores the windows of an account that its provider just reported to an admin.
-- p_windows: as in note_windows.
-- refused: admin, not_found (the account was removed in the meantime).
create function turnpike.note_limits(p_request turnpike.request,
  p_provider_id text, p_windows jsonb)
returns table (actor turnpike.caller, refused text, entity turnpike.provider_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  -- note_windows skips a locked row, so wait here for a turn that is committing.
  perform from provider_states s where s.provider_id = p_provider_id for no key update;
  perform turnpike.note_windows(p_provider_id, p_windows, p_request.moment);
  entity := (select r from turnpike.provider_rows(array[p_provider_id], p_request.moment) r);
  if entity.provider_id is null then
    refused := 'not_found';
  else
    perform turnpike.note_change((admin.caller).user_id, 'provider.refresh_limits', 'provider', p_provider_id, null,
      jsonb_build_object('windows', entity.windows), p_request.request_id, p_request.address, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;
