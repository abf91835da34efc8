-- Replaces the caller's password. p_former_hash: the hash that the caller's current password matched, or null
-- if the caller had no password.
-- All sessions and sign-in tokens of the caller end. The caller continues in a new session with p_new_token.
-- changed is false if the password was changed or the session ended in the meantime.
-- refused: 'proof' (a first password needs a fresh proof).
create function turnpike.change_password(p_request turnpike.request,
  p_former_hash text, p_hash text, p_new_token text, p_expires_at timestamptz,
  out actor turnpike.caller, out changed boolean, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if p_former_hash is not null then
    -- If the account has a second factor, a password alone is no fresh proof (see prove_again).
    caller.proved_at := case when turnpike.has_factor(caller.user_id) then caller.proved_at else p_request.moment end;
  elsif turnpike.lacks_proof(caller, p_request.moment) then
    refused := 'proof';
    return;
  end if;
  changed := turnpike.lock_own_user(caller, p_request.moment);
  if changed then
    update users u set password_hash = p_hash, session_epoch = u.session_epoch + 1
      where u.user_id = caller.user_id and u.password_hash is not distinct from p_former_hash;
    changed := found;
  end if;
  if changed then
    perform turnpike.renew_session(caller, p_new_token, p_expires_at, p_request.moment);
    perform turnpike.note_change(caller.user_id, 'user.password', 'user', caller.user_id::text,
      jsonb_build_object('has_password', p_former_hash is not null), jsonb_build_object('has_password', true),
      p_request.request_id, p_request.address,
      p_request.moment);
    perform turnpike.tell_factor(caller.user_id, 'password', 'set', p_request.moment);
  end if;
end $$;

-- Sets the password of the user who was sent a reset link. p_epoch: the user's session epoch when the link was made.
-- All sessions and reset links of the user end. Returns false if the epoch has changed or may_reset() refuses.
create function turnpike.reset_password(p_user_id bigint, p_epoch integer, p_hash text, p_request_id text,
  p_address text, p_moment timestamptz) returns boolean language plpgsql as $$
declare
  was users;
begin
  select u.* into was from users u where u.user_id = p_user_id for no key update;
  if was.session_epoch is distinct from p_epoch or not turnpike.may_reset(was) then
    return false;
  end if;
  update users u set password_hash = p_hash, session_epoch = u.session_epoch + 1 where u.user_id = p_user_id;
  perform turnpike.note_change(p_user_id, 'user.password_reset', 'user', p_user_id::text,
    jsonb_build_object('has_password', was.password_hash is not null), jsonb_build_object('has_password', true),
    p_request_id, p_address, p_moment);
  perform turnpike.tell_factor(p_user_id, 'password', 'reset', p_moment);
  return true;
end $$;

-- True if a link sent by email may set the account's password. The account must be able to sign in.
-- An admin also needs a second factor, so that access to the email alone is not enough.
create function turnpike.may_reset(owner users) returns boolean language plpgsql stable as $$
begin
  return owner.disabled_at is null and owner.email is not null
    and (owner.role <> 'admin' or turnpike.has_factor(owner.user_id));
end $$;

-- The user who gets a reset link sent to this email; all outputs are null if no link may be sent.
create function turnpike.find_reset(p_email text, out user_id bigint, out epoch integer, out email text, out brand text)
language plpgsql stable as $$
declare
  owner users;
begin
  select u.* into owner from users u where folded(u.email) = folded(p_email);
  if turnpike.may_reset(owner) then
    user_id := owner.user_id;
    epoch := owner.session_epoch;
    email := owner.email;
    brand := owner.brand;
  end if;
end $$;
