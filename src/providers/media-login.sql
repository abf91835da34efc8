-- A running login with its sealed secrets.
create type turnpike.media_login as (
  login_id text,
  sealed text,
  takes integer,
  expires_at timestamptz
);

-- Starts a login to the media account for an admin, or returns the one that the same admin has running.
-- refused: running (another admin has one).
create function turnpike.start_media_login(p_request turnpike.request,
  p_login_id text, p_sealed text, p_expires_at timestamptz)
returns table (actor turnpike.caller, refused text, entity turnpike.media_login) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  running provider_logins;
begin
  {{admin.opens row}}
  -- Without a running login there is no row to lock.
  perform pg_advisory_xact_lock(hashtext('provider_login'), hashtext('media'));
  update provider_logins l set state = 'expired', sealed = null, error = 'expired', updated_at = p_request.moment
    where l.pool = 'media' and l.state = 'polling' and l.expires_at <= p_request.moment;
  select l.* into running from provider_logins l where l.pool = 'media' and l.state = 'polling' limit 1;
  if running.login_id is not null and running.started_by is distinct from (admin.caller).user_id then
    refused := 'running';
    return next;
    return;
  elsif running.login_id is null then
    insert into provider_logins (
        login_id, pool, started_by, state, sealed, due_at, expires_at,
        created_at, updated_at)
    values (
        p_login_id, 'media', (admin.caller).user_id, 'polling', p_sealed, p_request.moment, p_expires_at,
        p_request.moment, p_request.moment)
    returning * into running;
    perform turnpike.note_change((admin.caller).user_id, 'provider.login_start', 'provider_login', p_login_id, null,
      jsonb_build_object('pool', 'media'), p_request.request_id, p_request.address, p_request.moment);
  end if;
  entity := row(running.login_id, running.sealed, running.takes, running.expires_at)::turnpike.media_login;
  {{admin.closes row}}
end $$;

-- Claims an admin's login to the media account until p_until, to complete it.
-- refused: none (no login is running), expired, running (another admin has one), busy (it is being completed).
create function turnpike.take_media_login(p_request turnpike.request,
  p_until timestamptz)
returns table (actor turnpike.caller, refused text, entity turnpike.media_login) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  newest provider_logins;
begin
  {{admin.opens row}}
  select l.* into newest from provider_logins l where l.pool = 'media'
    and l.state = 'polling' limit 1 for no key update;
  if newest.login_id is null then
    select l.* into newest
      from provider_logins l
      where l.pool = 'media'
      order by l.created_at desc, l.updated_at desc limit 1;
  end if;
  if newest.login_id is null or newest.state in ('authorized', 'error') then
    refused := 'none';
  elsif newest.state = 'expired' or newest.expires_at <= p_request.moment then
    refused := case when newest.started_by is not distinct from (admin.caller).user_id then 'expired' else 'none' end;
  elsif newest.started_by is distinct from (admin.caller).user_id then
    refused := 'running';
  elsif newest.due_at > p_request.moment then
    refused := 'busy';
  else
    update provider_logins l set takes = l.takes + 1, due_at = p_until, updated_at = p_request.moment
      where l.login_id = newest.login_id
      returning * into newest;
    entity := row(newest.login_id, newest.sealed, newest.takes, newest.expires_at)::turnpike.media_login;
  end if;
  return next;
end $$;

-- Saves the media account of an admin's login, and ends the login. A repeat succeeds again.
-- refused: superseded (another request has claimed the login, or it has ended otherwise).
create function turnpike.finish_media_login(p_request turnpike.request,
  p_login_id text, p_takes integer, p_account jsonb, p_sealed text, p_expires_at timestamptz)
returns table (actor turnpike.caller, refused text, entity turnpike.saved_provider) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  saved record;
  row provider_logins;
begin
  {{admin.opens row}}
  select l.* into row from provider_logins l where l.login_id = p_login_id for no key update;
  if row.takes is distinct from p_takes or row.state not in ('polling', 'authorized') then
    refused := 'superseded';
  else
    select s.* into saved
      from turnpike.save_provider(p_account, p_sealed, p_expires_at, p_login_id,
      (admin.caller).user_id, p_request.request_id, p_request.address, p_request.moment) s;
    refused := saved.refused;
    entity := saved.entity;
    update provider_logins l set state = 'authorized', sealed = null, error = null,
      provider_id = p_account ->> 'provider_id', updated_at = p_request.moment
      where l.login_id = p_login_id and refused is null;
    perform turnpike.note_use(admin.caller, p_request.moment);
  end if;
  return next;
end $$;
