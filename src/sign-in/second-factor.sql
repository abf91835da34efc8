-- Stores a new secret of a second factor for the caller. It has no effect until it is confirmed.
-- p_secret: the sealed secret.
-- refused: 'enrolled' (the caller must remove the confirmed second factor first).
create function turnpike.begin_second_factor(p_request turnpike.request,
  p_secret text, out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  insert into second_factors as f (user_id, secret, created_at) values (caller.user_id, p_secret, p_request.moment)
  on conflict (user_id) do update set secret = p_secret, created_at = p_request.moment where f.confirmed_at is null;
  if not found then
    refused := 'enrolled';
  end if;
  {{caller.closes}}
end $$;

-- Confirms the caller's second factor. p_secret: the secret whose code the caller has sent; p_step:
-- the time step of that code.
-- All sessions of the caller end, since they were started without a code. The caller continues in a
-- new session with p_new_token.
-- refused: 'gone' (the secret was replaced, or the session ended in the meantime).
create function turnpike.confirm_second_factor(p_request turnpike.request,
  p_secret text, p_step bigint, p_recovery_hashes text[], p_new_token text, p_expires_at timestamptz,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if not turnpike.lock_own_user(caller, p_request.moment) then
    refused := 'gone';
    return;
  end if;
  update second_factors f set confirmed_at = p_request.moment, last_step = p_step, recovery_hashes = p_recovery_hashes
    where f.user_id = caller.user_id and f.secret = p_secret and f.confirmed_at is null;
  if not found then
    refused := 'gone';
    return;
  end if;
  update users u set session_epoch = u.session_epoch + 1 where u.user_id = caller.user_id;
  perform turnpike.renew_session(caller, p_new_token, p_expires_at, p_request.moment);
  perform turnpike.note_change(caller.user_id, 'user.second_factor', 'user', caller.user_id::text,
    '{"enrolled": false}', '{"enrolled": true}', p_request.request_id, p_request.address, p_request.moment);
  perform turnpike.tell_factor(caller.user_id, 'second_factor', 'set', p_request.moment);
end $$;

-- Removes the caller's second factor. refused: 'none'.
create function turnpike.remove_second_factor(p_request turnpike.request, out actor turnpike.caller, out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  if not turnpike.drop_second_factor(caller.user_id, caller.user_id, p_request.request_id, p_request.address,
    p_request.moment) then
    refused := 'none';
  end if;
  {{caller.closes}}
end $$;

-- Removes a user's confirmed second factor. p_by: the user who removes it, null for the command
-- line. Returns false if the user had none.
create function turnpike.drop_second_factor(p_user_id bigint, p_by bigint, p_request_id text, p_address text,
  p_moment timestamptz)
returns boolean language plpgsql as $$
begin
  delete from second_factors f where f.user_id = p_user_id and f.confirmed_at is not null;
  if not found then
    return false;
  end if;
  perform turnpike.note_change(p_by, 'user.second_factor', 'user', p_user_id::text, '{"enrolled": true}',
    '{"enrolled": false}', p_request_id, p_address, p_moment);
  perform turnpike.tell_factor(p_user_id, 'second_factor', 'removed', p_moment);
  return true;
end $$;

-- Removes the second factor of a user who has lost it, for an admin. refused: admin, unknown (no
-- such user, or no second factor).
create function turnpike.reset_second_factor(p_request turnpike.request,
  p_user_id bigint)
returns table (actor turnpike.caller, refused text) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
begin
  {{admin.opens row}}
  if not turnpike.drop_second_factor(p_user_id, (admin.caller).user_id, p_request.request_id, p_request.address,
    p_request.moment) then
    refused := 'unknown';
  end if;
  {{admin.closes row}}
end $$;

-- Consumes a code of a second factor and returns whether it is valid. p_step: the time step of a
-- code of p_secret; null for a recovery code.
-- p_recovery_hash: the hash of a recovery code. p_resealed: the secret under a newer key.
-- A code of this step or an earlier one is rejected afterwards, also for concurrent callers.
create function turnpike.use_code(p_user_id bigint, p_secret text, p_step bigint, p_recovery_hash text, p_resealed text)
returns boolean
language plpgsql as $$
begin
  if p_step is not null then
    update second_factors f set last_step = p_step, secret = coalesce(p_resealed, f.secret)
      where f.user_id = p_user_id and f.confirmed_at is not null and f.secret = p_secret and f.last_step < p_step;
  else
    update second_factors f set recovery_hashes = array_remove(f.recovery_hashes, p_recovery_hash)
      where f.user_id = p_user_id and f.confirmed_at is not null and p_recovery_hash = any (f.recovery_hashes);
  end if;
  return found;
end $$;

-- The session that waits for a code. user_id: null if no session waits. secret: the sealed secret
-- of the second factor, which no role reads.
-- addresses: the addresses where the user has signed in.
create function turnpike.waiting_session(p_token text, p_moment timestamptz, out user_id bigint, out secret text,
  out addresses text[])
language plpgsql stable as $$
begin
  select n.user_id, f.secret into user_id, secret
    from sessions n
      left join second_factors f on f.user_id = n.user_id
    where n.session_id = turnpike.id_of_token(p_token) and n.token_hash = turnpike.hash_of_token(p_token)
      and n.factor_due
      and n.ended_at is null and n.expires_at > p_moment;
  addresses := turnpike.session_addresses(waiting_session.user_id);
end $$;

-- Opens a session that waits for a code. refused: 'code' (the code is invalid), 'session' (the
-- session no longer waits).
-- news: the session is at a place that is new to the account.
create function turnpike.complete_session(p_token text, p_user_id bigint, p_secret text, p_step bigint,
  p_recovery_hash text, p_resealed text, p_expires_at timestamptz, p_request_id text, p_moment timestamptz,
  out refused text, out news boolean, out account turnpike.user_answer) language plpgsql as $$
declare
  new_session sessions;
  owner users;
begin
  -- The user is locked before the session is looked up, so that the second factor does not change in the meantime.
  select u.* into owner from users u where u.user_id = p_user_id for no key update;
  if (turnpike.find_caller(turnpike.request_of('session', p_token, false, p_moment))).missing is distinct
    from 'factor' then
    refused := 'session';
    return;
  end if;
  if not turnpike.use_code(p_user_id, p_secret, p_step, p_recovery_hash, p_resealed) then
    refused := 'code';
    return;
  end if;
  update sessions n set factor_due = false, proved_at = p_moment, last_seen_at = p_moment,
      expires_at = least(p_expires_at, n.created_at + turnpike.session_life(owner.role))
    where n.session_id = turnpike.id_of_token(p_token) and n.user_id = p_user_id and n.ended_at is null
    returning n.* into new_session;
  if new_session.session_id is null then
    refused := 'session';
    return;
  end if;
  news := turnpike.note_sign_in(new_session, owner, p_request_id, p_moment);
  account := turnpike.user_answer_of(owner);
end $$;

-- Records that the caller has proved their identity again, with the password and the code that the account requires.
-- p_password_hash: the hash that the caller's password matched.
-- refused: 'password' (it is not the current hash), 'code', 'nothing' (the caller has neither a password nor a second
-- factor).
create function turnpike.prove_again(p_request turnpike.request,
  p_password_hash text, p_secret text, p_step bigint, p_recovery_hash text, p_resealed text, out actor turnpike.caller,
  out refused text)
language plpgsql as $$
declare
  caller turnpike.caller;
  own_hash text;
  has_factor boolean;
begin
  {{caller.opens}}
  own_hash := (select u.password_hash from users u where u.user_id = caller.user_id);
  has_factor := turnpike.has_factor(caller.user_id);
  if own_hash is null and not has_factor then
    refused := 'nothing';
  elsif own_hash is distinct from p_password_hash then
    refused := 'password';
  elsif has_factor and not turnpike.use_code(caller.user_id, p_secret, p_step, p_recovery_hash, p_resealed) then
    refused := 'code';
  else
    update sessions n set proved_at = p_request.moment where n.session_id = caller.session_id;
  end if;
  {{caller.closes}}
end $$;
