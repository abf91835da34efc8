-- Columns of users, brands and similar tables whose values the audit log never stores.
create function turnpike.secret_columns() returns text[] language sql immutable as $$
  select '{password_hash,bot_token,bot_webhook_secret,hash,token_hash,secret,sealed,recovery_hashes,link_hash,mail_hash}'::text[]
$$;

-- Writes a change to the audit log, in the transaction of the change and without secret columns
-- (docs/decisions/0020-admin-edits.md).
-- p_actor: the user_id of the user who made the change; null for the system, such as the command line.
create function turnpike.note_change(p_actor bigint, p_action text, p_subject_type text, p_subject_id text,
  p_before jsonb, p_after jsonb, p_request_id text, p_address text, p_moment timestamptz) returns void
language plpgsql as $$
begin
  insert into audit_log (
      actor_user_id,
      account_user_id,
      action, subject_type, subject_id, before,
      after, request_id, address, created_at)
  values (
      p_actor,
      case when p_subject_type = 'user' then p_subject_id::bigint
        when p_action = 'portal.profile' then (p_after ->> 'user_id')::bigint end,
      p_action, p_subject_type, p_subject_id, p_before - turnpike.secret_columns(),
      p_after - turnpike.secret_columns(), p_request_id, p_address, p_moment);
end $$;

-- Writes to the audit log that a caller changed something of its account, as note_change does. A member of a shared
-- space, a member of the account (with the role) and an admin who acts as the owner are the actors of what they do.
-- p_before = p_after: nothing is written.
create function turnpike.note_own_change(p_request turnpike.request, caller turnpike.caller, p_action text,
  p_subject_type text, p_subject_id text, p_before jsonb, p_after jsonb) returns void language plpgsql as $$
begin
  if p_before = p_after then
    return;
  end if;
  insert into audit_log (
      actor_user_id, account_user_id,
      actor_role,
      key_id, action, subject_type, subject_id, before,
      after, request_id, address, created_at)
  values (
      coalesce(caller.acting_user_id, caller.person_id, caller.member_id, caller.user_id), caller.user_id,
      -- An operator's role, and that of a person with whom a space is shared, are roles in another account.
      case when caller.acting_user_id is null and caller.member_id is null and (caller.person_id is not null
        or (caller.account_role <> 'owner' and caller.kind = 'session')) then caller.account_role end,
      caller.key_id, p_action, p_subject_type, p_subject_id, p_before - turnpike.secret_columns(),
      p_after - turnpike.secret_columns(), p_request.request_id, p_request.address, p_request.moment);
end $$;

-- The caller of an admin's change to an object of an account, for note_own_change. The account's owner sees the entry
-- without its facts.
create function turnpike.in_account(admin turnpike.caller, p_user_id bigint) returns turnpike.caller
language plpgsql immutable as $$
begin
  admin.acting_user_id := turnpike.person_of(admin);
  admin.person_id := null;
  admin.user_id := p_user_id;
  return admin;
end $$;

-- Records in the audit log that a caller exports a list. p_what: the list. p_query: its filters.
-- p_of_account: false for an operator's list of the installation. People of the operator's account do not see it.
create function turnpike.note_export(p_request turnpike.request, p_what text,
  p_query jsonb, p_of_account boolean, out actor turnpike.caller) language plpgsql as $$
declare
  caller turnpike.caller;
  facts jsonb;
begin
  caller := turnpike.find_caller(p_request);
  actor := caller;
  facts := jsonb_build_object('user_id', caller.user_id, 'key_id', caller.key_id, 'test', caller.test, 'query',
    p_query);
  if caller.usable and p_of_account then
    perform turnpike.note_own_change(p_request, caller, 'export', 'export', p_what, null, facts);
  elsif caller.usable then
    perform turnpike.note_change(turnpike.person_of(caller), 'export', 'export', p_what, null, facts,
      p_request.request_id, p_request.address, p_request.moment);
  end if;
end $$;

-- Records an action of the command line that no other procedure records.
create function turnpike.note_act(p_action text, p_subject_type text, p_subject_id text, p_after jsonb,
  p_request_id text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  perform turnpike.note_change(null, p_action, p_subject_type, p_subject_id, null, p_after, p_request_id, null,
    p_moment);
  return true;
end $$;

-- The maker of a change, as the account's owner sees it. A user of another account who changed a space, or decided
-- about a call in it, is a member of the space, unless they are an admin.
create function turnpike.maker_of_change(p_key_id text, p_action text, p_actor_role text, p_actor bigint,
  p_account bigint, p_subject_type text, p_users_role text) returns text language sql immutable as $$
  select case when p_key_id is not null then 'key'
    when p_action = 'portal.profile' then 'end_user'
    when p_actor_role is not null then 'member'
    when p_actor = p_account then 'owner'
    when p_subject_type in ('space', 'call') and p_users_role <> 'admin' then 'member'
    else 'operator' end
$$;
