-- Creates an account and its wallet for an admin. If p_messenger_id is given, also links the
-- person's identity at the brand's bot.
-- refused: admin, unknown_brand, email_taken (the entity is the account that has it), messenger_taken.
create function turnpike.create_account(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_name text, p_email text, p_email_verified boolean, p_role text, p_brand text,
  p_own_brand text, p_password_hash text, p_messenger_id text)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text, entity turnpike.admin_user_answer)
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  bot text := 'messenger:' || p_brand;
  new_user_id bigint;
begin
  {{admin.opens row}}
  already := turnpike.used_key(admin.caller, p_once_key);
  if already.resource_id is not null then
    entity := turnpike.admin_user_answer_of(already.resource_id::bigint);
    return next;
    return;
  end if;
  -- A concurrent first sign-in of this person waits for this lock and then finds the account.
  if p_messenger_id is not null then
    perform turnpike.lock_identity(bot, p_messenger_id);
  end if;
  if not turnpike.is_brand(p_brand, p_own_brand) then
    refused := 'unknown_brand';
  elsif exists (select from identities i where i.issuer = bot and i.subject = p_messenger_id) then
    refused := 'messenger_taken';
  else
    insert into users as n (
        name, email, email_verified, role, brand, password_hash, created_at,
        updated_at, updated_by)
    values (
        p_name, p_email, p_email_verified and p_email is not null, p_role, p_brand, p_password_hash, p_request.moment,
        p_request.moment, (admin.caller).user_id)
    on conflict do nothing
    returning n.user_id into new_user_id;
    if new_user_id is null then
      refused := 'email_taken';
      entity := turnpike.holder_of_email(p_email);
    end if;
  end if;
  if new_user_id is not null then
    perform turnpike.create_wallet(new_user_id);
    if p_messenger_id is not null then
      insert into identities (issuer, subject, user_id, created_at)
        values (bot, p_messenger_id, new_user_id, p_request.moment);
    end if;
    entity := turnpike.admin_user_answer_of(new_user_id);
    perform turnpike.note_change((admin.caller).user_id, 'user.create', 'user', new_user_id::text, null,
      turnpike.user_for_audit(new_user_id), p_request.request_id, p_request.address, p_request.moment);
    perform turnpike.note_key(admin.caller, p_once_key, p_fingerprint, new_user_id::text, p_request.moment);
  end if;
  {{admin.closes row}}
end $$;

-- Sets the email and the password hash of an account for an admin (null keeps the current value), and ends all
-- its sessions.
-- A new email is unverified. refused: admin, unknown, stale, no_email (a password needs an email), email_taken.
create function turnpike.set_credentials(p_request turnpike.request,
  p_user_id bigint, p_email text, p_password_hash text, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.admin_user_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was users;
  before jsonb;
begin
  {{admin.opens row}}
  select u.* into was from users u where u.user_id = p_user_id for no key update;
  before := turnpike.user_for_audit(p_user_id);
  if was.user_id is null then
    refused := 'unknown';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif coalesce(p_email, was.email) is null then
    refused := 'no_email';
  else
    begin
      update users u set email = coalesce(p_email, u.email), password_hash = coalesce(p_password_hash, u.password_hash),
        email_verified = u.email_verified and u.email is not distinct from coalesce(p_email, u.email),
        session_epoch = u.session_epoch + 1, version = u.version + 1, updated_at = p_request.moment,
        updated_by = (admin.caller).user_id
        where u.user_id = p_user_id;
      perform turnpike.note_change((admin.caller).user_id, 'user.credentials', 'user', p_user_id::text, before,
        turnpike.user_for_audit(p_user_id) || jsonb_build_object('password_changed', p_password_hash is not null),
        p_request.request_id, p_request.address,
        p_request.moment);
      if p_password_hash is not null then
        perform turnpike.tell_factor(p_user_id, 'password', 'set_by_admin', p_request.moment);
      end if;
      if coalesce(p_email, was.email) is distinct from was.email then
        perform turnpike.tell_factor(p_user_id, 'email', 'set_by_admin', p_request.moment);
      end if;
    exception when unique_violation then
      refused := 'email_taken';
    end;
  end if;
  entity := case when refused = 'email_taken' then turnpike.holder_of_email(p_email)
    else turnpike.admin_user_answer_of(p_user_id) end;
  {{admin.closes row}}
end $$;
