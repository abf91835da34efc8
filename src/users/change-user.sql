-- Locks an account and all active admins in the order of their ids. If two admins disable each other at the same time,
-- the second waits and sees the change of the first.
create function turnpike.lock_user(p_user_id bigint) returns users language plpgsql as $$
declare
  locked users;
begin
  perform from users u
    where u.user_id = p_user_id or (u.role = 'admin' and u.disabled_at is null)
    order by u.user_id for no key update;
  select u.* into locked from users u where u.user_id = p_user_id;
  return locked;
end $$;

-- True if the user is an active admin who can sign in: with a password or an identity, and with a second factor if the
-- settings require one.
create function turnpike.is_able_admin(u users) returns boolean language plpgsql stable as $$
begin
  return u.role is not distinct from 'admin' and u.disabled_at is null and not turnpike.lacks_factor(u.user_id)
    and (u.password_hash is not null or exists (select from identities i where i.user_id = u.user_id));
end $$;

-- True if a user, locked by lock_user, is the last admin who can sign in or the only active admin.
create function turnpike.is_last_admin(locked users) returns boolean language plpgsql stable as $$
declare
  others users[];
begin
  if locked.role is distinct from 'admin' or locked.disabled_at is not null then
    return false;
  end if;
  others := array(select u from users u where u.user_id <> locked.user_id and u.role = 'admin'
    and u.disabled_at is null);
  return cardinality(others) = 0
    or (turnpike.is_able_admin(locked)
      and not exists (select from unnest(others) u where turnpike.is_able_admin(u::users)));
end $$;

-- p_disabled = true: disables an account, its sessions and its webhooks, and marks its turns to be ended. p_disabled =
-- false: enables the account and the webhooks that were disabled with it.
create function turnpike.set_disabled(p_user_id bigint, p_disabled boolean, p_moment timestamptz) returns void
language plpgsql as $$
begin
  if p_disabled then
    update users u set disabled_at = p_moment, session_epoch = u.session_epoch + 1, ending_turns = true
      where u.user_id = p_user_id;
    update webhook_endpoints w set disabled_at = p_moment, disabled_reason = 'account_disabled', stopping = true,
      updated_at = p_moment
      where w.user_id = p_user_id and w.deleted_at is null and w.disabled_at is null;
  else
    update users u set disabled_at = null, ending_turns = false where u.user_id = p_user_id;
    update webhook_endpoints w set disabled_at = null, disabled_reason = null, failing_since = null,
      updated_at = p_moment
      where w.user_id = p_user_id and w.disabled_reason = 'account_disabled';
  end if;
end $$;

-- Disables an account, enables it, or sets its role.
-- p_request: the session of an admin; its kind is null if the command line calls. p_change: disable, enable or role.
-- p_role: the new role, if p_change is role. A change that is already in effect does nothing.
-- refused: admin (the caller is not an admin), unknown, last_admin.
create function turnpike.change_user(p_request turnpike.request,
  p_user_id bigint, p_change text, p_role text)
returns table (actor turnpike.caller, refused text, account turnpike.user_answer) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  was users;
  changed users;
begin
  if p_request.kind is not null then
    caller := turnpike.find_caller(p_request);
    actor := caller;
    if caller.usable is not true or caller.role is distinct from 'admin' then
      refused := 'admin';
      return next;
      return;
    end if;
  end if;

  was := turnpike.lock_user(p_user_id);
  if was.user_id is null then
    refused := 'unknown';
  elsif (p_change = 'disable' or p_role <> 'admin') and turnpike.is_last_admin(was) then
    refused := 'last_admin';
  elsif p_change = 'role' and was.role <> p_role then
    update users u set role = p_role where u.user_id = p_user_id;
  elsif (p_change = 'disable') <> (was.disabled_at is not null) and p_change <> 'role' then
    perform turnpike.set_disabled(p_user_id, p_change = 'disable', p_request.moment);
  end if;

  select u.* into changed from users u where u.user_id = p_user_id;
  if (changed.role, changed.disabled_at) is distinct from (was.role, was.disabled_at) then
    update users u set version = u.version + 1, updated_at = p_request.moment, updated_by = caller.user_id
      where u.user_id = p_user_id;
    perform turnpike.note_change(caller.user_id, 'user.' || p_change, 'user', p_user_id::text,
      jsonb_build_object('role', was.role, 'disabled_at', was.disabled_at),
      jsonb_build_object('role', changed.role, 'disabled_at', changed.disabled_at), p_request.request_id,
      p_request.address, p_request.moment);
  end if;
  if refused is null then
    account := turnpike.user_answer_of(changed);
  end if;
  if p_request.kind is not null then
    perform turnpike.note_use(caller, p_request.moment);
  end if;
  return next;
end $$;
