-- Starts a device login for an admin. A running login is superseded: its code no longer works.
create function turnpike.start_device_login(p_request turnpike.request,
  p_login_id text, p_sealed text, p_interval_seconds integer, p_due_at timestamptz, p_expires_at timestamptz)
returns table (actor turnpike.caller, refused text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  former text;
begin
  {{admin.opens row}}
  -- Without a running login there is no row to lock.
  perform pg_advisory_xact_lock(hashtext('provider_login'), hashtext('alt-pool'));
  update provider_logins l set state = 'expired', sealed = null, error = 'superseded', updated_at = p_request.moment
    where l.pool = 'alt-pool' and l.state = 'polling'
    returning l.login_id into former;
  insert into provider_logins (
      login_id, pool, started_by, state, sealed, interval_seconds, due_at, expires_at,
      created_at, updated_at)
  values (
      p_login_id, 'alt-pool', (admin.caller).user_id, 'polling', p_sealed, p_interval_seconds, p_due_at, p_expires_at,
      p_request.moment, p_request.moment);
  perform turnpike.note_change((admin.caller).user_id, 'provider.login_start', 'provider_login', p_login_id, null,
    jsonb_build_object('pool', 'alt-pool', 'supersedes', former), p_request.request_id, p_request.address,
    p_request.moment);
  {{admin.closes row}}
end $$;

-- Claims a login until p_until, so that no other worker polls it.
-- taken: false if the login has ended, is not due, or another worker has claimed it. The other fields are the row's.
create function turnpike.take_login(p_login_id text, p_until timestamptz, p_moment timestamptz)
returns table (taken boolean, state text, sealed text, interval_seconds integer, takes integer, due_at timestamptz)
language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  row provider_logins;
begin
  -- If two messages arrive at once, the second one sees the claim of the first.
  select l.* into row from provider_logins l where l.login_id = p_login_id for no key update;
  if row.state = 'polling' and row.expires_at <= p_moment then
    update provider_logins l set state = 'expired', sealed = null, error = 'expired', updated_at = p_moment
      where l.login_id = p_login_id
      returning l.* into row;
  end if;
  taken := row.state = 'polling' and row.due_at <= p_moment;
  if taken then
    update provider_logins l set takes = l.takes + 1, due_at = p_until, updated_at = p_moment
      where l.login_id = p_login_id
      returning l.* into row;
  end if;
  taken := coalesce(taken, false);
  state := row.state;
  sealed := row.sealed;
  interval_seconds := row.interval_seconds;
  takes := row.takes;
  due_at := row.due_at;
  return next;
end $$;

-- Releases the claim on a login, so that another worker can claim it from p_due_at on.
-- Returns false if another worker has claimed the login or it has ended.
create function turnpike.keep_login(p_login_id text, p_takes integer, p_interval_seconds integer, p_due_at timestamptz,
  p_moment timestamptz) returns boolean language plpgsql as $$
begin
  update provider_logins l set interval_seconds = p_interval_seconds, due_at = p_due_at, updated_at = p_moment
    where l.login_id = p_login_id and l.state = 'polling' and l.takes = p_takes;
  return found;
end $$;

-- Ends a claimed login without an account. Returns false if another worker has claimed it or it has ended.
create function turnpike.end_login(p_login_id text, p_takes integer, p_state text, p_error text, p_moment timestamptz)
returns boolean
language plpgsql as $$
begin
  update provider_logins l set state = p_state, error = p_error, sealed = null, updated_at = p_moment
    where l.login_id = p_login_id and l.state = 'polling' and l.takes = p_takes;
  return found;
end $$;

-- Saves the account of a device login for the admin who started it, and ends the login. A repeat succeeds again.
-- refused: superseded (another worker has claimed the login, or it has ended otherwise), admin (the
-- user who started it is no longer an admin), moved, taken (see save_provider).
create function turnpike.finish_device_login(p_login_id text, p_takes integer, p_account jsonb, p_sealed text,
  p_expires_at timestamptz, p_request_id text, p_moment timestamptz)
returns table (refused text) language plpgsql rows 1 as $$
#variable_conflict use_column
declare
  row provider_logins;
begin
  select l.* into row from provider_logins l where l.login_id = p_login_id for no key update;
  if row.takes is distinct from p_takes or row.state not in ('polling', 'authorized') then
    refused := 'superseded';
  elsif not exists (select from users u where u.user_id = row.started_by and u.role = 'admin'
    and u.disabled_at is null) then
    refused := 'admin';
  else
    select s.refused into refused
      from turnpike.save_provider(p_account, p_sealed, p_expires_at, p_login_id,
      row.started_by, p_request_id, null, p_moment) s;
    if refused is null then
      update provider_logins l set state = 'authorized', sealed = null, error = null,
        provider_id = p_account ->> 'provider_id', updated_at = p_moment
        where l.login_id = p_login_id;
    end if;
  end if;
  return next;
end $$;

-- Expires logins whose time is over, deletes ended logins from before p_old, and contains
-- accounts whose refresh never ended.
-- login_ids: logins whose poll was due before p_late, so that its message was lost. At most p_most.
create function turnpike.sweep_logins(p_late timestamptz, p_old timestamptz, p_most integer, p_moment timestamptz)
returns table (expired integer, contained integer, login_ids text[]) language plpgsql rows 1 as $$
declare
  id text;
begin
  update provider_logins l set state = 'expired', sealed = null, error = 'expired', updated_at = p_moment
    where l.state = 'polling' and l.expires_at <= p_moment;
  get diagnostics expired = row_count;
  delete from provider_logins l where l.created_at < p_old and l.state <> 'polling';
  contained := 0;
  for id in select c.provider_id from provider_credentials c where c.refreshing_until < p_late limit p_most loop
    contained := contained + turnpike.contain_lost(id, p_moment)::integer;
  end loop;
  login_ids := array(select l.login_id from provider_logins l
    where l.pool = 'alt-pool' and l.state = 'polling' and l.due_at <= p_late limit p_most);
  return next;
end $$;
