-- A saved account, without its credential.
create type turnpike.saved_provider as (
  provider_id text,
  pool text,
  name text,
  kind text,
  engine text,
  base_url text, -- null: the engine's own
  external_id text, -- null: it has an API key
  disabled_at timestamptz, -- null: it is enabled
  health text,
  expires_at timestamptz, -- null: never, or not known
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

create function turnpike.saved_provider_of(p_provider_id text) returns turnpike.saved_provider language sql stable as $$
  select (a.provider_id, a.pool, a.name, a.kind, a.engine, a.base_url, a.external_id, a.disabled_at, a.health,
    c.expires_at, a.version, a.created_at, a.updated_at, a.updated_by, u.name)::turnpike.saved_provider
    from provider_accounts a
      left join provider_credentials c on c.provider_id = a.provider_id
    left join users u on u.user_id = a.updated_by
    where a.provider_id = p_provider_id
$$;

-- Creates an account, or renews the one with the same external id (for an API key: the same provider_id).
-- A disabled account stays disabled. Its health and its suspension are reset. A repeated save of
-- the same login changes nothing.
-- p_account: {provider_id, pool, name, kind, engine, base_url, external_id, new: the id must not be in use}
-- p_sealed: the credential, sealed for that provider_id.
-- refused: taken (another account has that id), moved (the account has another id: known_as).
create function turnpike.save_provider(p_account jsonb, p_sealed text, p_expires_at timestamptz, p_login_id text,
  p_user_id bigint, p_request_id text, p_address text, p_moment timestamptz)
returns table (refused text, entity turnpike.saved_provider, known_as text) language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  id text := p_account ->> 'provider_id';
  given provider_accounts := jsonb_populate_record(null::provider_accounts, p_account);
  known text;
  was provider_accounts;
begin
  -- A new account has no row to lock.
  perform pg_advisory_xact_lock(hashtext('provider_account'), hashtext(given.pool));
  select a.provider_id into known
    from provider_accounts a
    where a.pool = given.pool and a.external_id = given.external_id limit 1;
  select a.* into was from provider_accounts a where a.provider_id = id for no key update;
  if known is not null and known <> id and given.pool <> 'media' then
    refused := 'moved';
    known_as := known;
    return next;
    return;
  end if;
  -- The media account keeps one id, even for another login.
  if was.provider_id is not null and (was.pool <> given.pool or given.pool <> 'media'
    and (was.external_id is distinct from given.external_id or coalesce((p_account ->> 'new')::boolean, false))) then
    refused := 'taken';
    return next;
    return;
  end if;
  if p_login_id is null
    or not exists (select from provider_credentials c where c.provider_id = id and c.login_id = p_login_id) then
    insert into provider_accounts as a (
        provider_id, pool, name, kind, engine, base_url, external_id, created_at,
        updated_at, updated_by)
    values (
        id, given.pool, given.name, given.kind, given.engine, given.base_url, given.external_id, p_moment,
        p_moment, p_user_id)
    on conflict (provider_id) do update set name = excluded.name, kind = excluded.kind, engine = excluded.engine,
      base_url = excluded.base_url, external_id = excluded.external_id, health = 'healthy',
      health_at = excluded.updated_at, version = a.version + 1, updated_at = excluded.updated_at,
      updated_by = excluded.updated_by;
    insert into provider_states as s (provider_id)
      values (id)
      on conflict (provider_id) do update set lacks = '{}'
      where s.lacks <> '{}';
    perform turnpike.end_suspension(id);
    if given.kind = 'api_key' then
      -- The known limits belong to the former key.
      update provider_states s set cool_until = null, cool_reason = null, probe_until = null, windows = '{}'
        where s.provider_id = id;
    end if;
    insert into provider_credentials as c (provider_id, sealed, expires_at, login_id, updated_at)
    values (id, p_sealed, p_expires_at, p_login_id, p_moment)
    on conflict (provider_id) do update set sealed = excluded.sealed, expires_at = excluded.expires_at,
      version = c.version + 1, refreshing_until = null, login_id = excluded.login_id, updated_at = excluded.updated_at;
    perform turnpike.note_change(p_user_id,
      case when was.provider_id is null then 'provider.add' else 'provider.renew' end, 'provider', id,
      case when was.provider_id is not null then to_jsonb(was) end,
      (select to_jsonb(a) from provider_accounts a where a.provider_id = id), p_request_id, p_address, p_moment);
  end if;
  entity := turnpike.saved_provider_of(id);
  return next;
end $$;

-- Saves an account for an admin who logged in to it or has its API key. p_account and
-- refused: see save_provider, and admin.
create function turnpike.add_provider(p_request turnpike.request,
  p_account jsonb, p_sealed text, p_expires_at timestamptz, p_login_id text)
returns table (actor turnpike.caller, refused text, entity turnpike.saved_provider, known_as text)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  saved record;
begin
  {{admin.opens row}}
  select s.* into saved from turnpike.save_provider(p_account, p_sealed, p_expires_at, p_login_id,
    (admin.caller).user_id, p_request.request_id, p_request.address, p_request.moment) s;
  refused := saved.refused;
  entity := saved.entity;
  known_as := saved.known_as;
  {{admin.closes row}}
end $$;

-- Writes the audit entry for a step of an admin's login by a pasted code. Redis has the login itself. refused: admin.
create function turnpike.note_login_step(p_request turnpike.request,
  p_action text, p_login_id text, p_after jsonb)
returns table (actor turnpike.caller, refused text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  perform turnpike.note_change((admin.caller).user_id, p_action, 'provider_login', p_login_id, null, p_after,
    p_request.request_id, p_request.address,
    p_request.moment);
  {{admin.closes row}}
end $$;
