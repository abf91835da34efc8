-- Edits an account for an admin.
-- p_user: the columns of users to change (name, email, email_verified, role, brand). p_wallet: the columns of wallets.
-- p_disabled: disables or enables the account; null leaves it. A new email is not verified unless p_user says so.
-- p_reason: why, for the audit log; null if not said.
-- refused: admin, unknown, stale, unknown_brand, last_admin, email_taken, proof.
-- email_taken: the entity is the account that has the email.
-- proof: the change needs a recent proof of identity. It makes a user an admin, enables an account, or changes or
-- verifies an email, which gives access to the account.
create function turnpike.update_user(p_request turnpike.request,
  p_user_id bigint, p_user jsonb, p_wallet jsonb, p_disabled boolean, p_own_brand text, p_if_version integer,
  p_reason text)
returns table (actor turnpike.caller, refused text, entity turnpike.admin_user_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was users;
  wanted users;
  wallet wallets;
  before jsonb;
  after jsonb;
begin
  {{admin.opens row}}
  was := turnpike.lock_user(p_user_id);
  wanted := jsonb_populate_record(was, p_user);
  if wanted.email is distinct from was.email and not p_user ? 'email_verified' then
    wanted.email_verified := false;
  end if;
  wanted.email_verified := wanted.email_verified and wanted.email is not null;
  before := turnpike.user_for_audit(p_user_id);
  if was.user_id is null then
    refused := 'unknown';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif ((wanted.role = 'admin' and was.role <> 'admin') or wanted.email is distinct from was.email
      or (wanted.email_verified and not was.email_verified) or (was.disabled_at is not null and p_disabled is false))
      and turnpike.lacks_proof(admin.caller, p_request.moment) then
    refused := 'proof';
  elsif wanted.brand <> was.brand and not turnpike.is_brand(wanted.brand, p_own_brand) then
    refused := 'unknown_brand';
  elsif (coalesce(p_disabled, false) or wanted.role <> 'admin') and turnpike.is_last_admin(was) then
    refused := 'last_admin';
  else
    -- Only the unique index detects an account that another transaction is inserting.
    begin
      update users u set name = wanted.name, email = wanted.email, email_verified = wanted.email_verified,
        role = wanted.role, brand = wanted.brand
        where u.user_id = p_user_id;
    exception when unique_violation then
      refused := 'email_taken';
    end;
  end if;
  if refused is null then
    if wanted.email is distinct from was.email then
      perform turnpike.tell_factor(p_user_id, 'email', 'set_by_admin', p_request.moment);
    end if;
    if p_disabled <> (was.disabled_at is not null) then
      perform turnpike.set_disabled(p_user_id, p_disabled, p_request.moment);
    end if;
    if p_wallet <> '{}' then
      perform turnpike.create_wallet(p_user_id);
      select w.* into wallet from wallets w where w.user_id = p_user_id for no key update;
      wallet := jsonb_populate_record(wallet, p_wallet);
      perform turnpike.set_wallet_limits(p_user_id, wallet.end_user_daily_credit_micros,
        wallet.end_user_monthly_credit_micros, wallet.low_balance_credit_micros);
    end if;
    after := turnpike.user_for_audit(p_user_id);
    if after <> before then
      update users u set version = u.version + 1, updated_at = p_request.moment, updated_by = (admin.caller).user_id
        where u.user_id = p_user_id;
      perform turnpike.note_change((admin.caller).user_id, 'user.update', 'user', p_user_id::text, before,
        after || jsonb_strip_nulls(jsonb_build_object('reason', p_reason)),
        p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  entity := case when refused = 'email_taken' then turnpike.holder_of_email(wanted.email)
    else turnpike.admin_user_answer_of(p_user_id) end;
  {{admin.closes row}}
end $$;

-- The number of sessions that were ended.
create type turnpike.ended_answer as (
  ended bigint
);

-- Ends all sessions of a user for an admin, and invalidates all links that would start one. refused: admin, unknown.
create function turnpike.end_user_sessions(p_request turnpike.request,
  p_user_id bigint)
returns table (actor turnpike.caller, refused text, entity turnpike.ended_answer) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was users;
  ended integer;
begin
  {{admin.opens row}}
  select u.* into was from users u where u.user_id = p_user_id for no key update;
  if was.user_id is null then
    refused := 'unknown';
  else
    select count(*) into ended
      from sessions n
      where n.user_id = p_user_id and n.epoch = was.session_epoch and n.ended_at is null
        and n.expires_at > p_request.moment;
    update users u set session_epoch = u.session_epoch + 1 where u.user_id = p_user_id;
    entity := row(ended)::turnpike.ended_answer;
    perform turnpike.note_change((admin.caller).user_id, 'user.end_sessions', 'user', p_user_id::text, null,
      to_jsonb(entity), p_request.request_id, p_request.address,
      p_request.moment);
  end if;
  {{admin.closes row}}
end $$;
