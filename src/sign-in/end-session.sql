-- Ends a session. Returns false, and changes nothing, if the token matches no session or the
-- session had already ended.
create function turnpike.end_session(p_token text, p_moment timestamptz) returns boolean language plpgsql as $$
begin
  update sessions n set ended_at = p_moment
    where n.session_id = turnpike.id_of_token(p_token)
    and n.token_hash = turnpike.hash_of_token(p_token) and n.ended_at is null;
  return found;
end $$;

-- Ends one of the caller's sessions, which may be the session of the request. ended is false if the
-- caller has no such valid session.
create function turnpike.end_own_session(p_request turnpike.request,
  p_session_id text, out actor turnpike.caller, out ended boolean) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  update sessions n set ended_at = p_request.moment from users u
    where n.session_id = p_session_id and n.user_id = caller.user_id and n.ended_at is null
      and n.expires_at > p_request.moment
      and u.user_id = n.user_id and n.epoch = u.session_epoch;
  ended := found or p_session_id = caller.session_id;
  {{caller.closes}}
end $$;

-- Locks the caller's user before all its sessions end. Returns whether the caller's session is still valid.
-- A concurrent request waits for this lock and then finds its session ended or its user disabled. Without
-- the lock, both requests would continue in new sessions.
create function turnpike.lock_own_user(caller turnpike.caller, p_moment timestamptz) returns boolean
language plpgsql as $$
declare
  own sessions;
begin
  perform from users u where u.user_id = caller.user_id for no key update;
  select n.* into own from sessions n where n.session_id = caller.session_id;
  return coalesce((turnpike.caller_of_session(own, caller.test, p_moment)).usable, false);
end $$;

-- Inserts a session that replaces the caller's after the epoch was raised. It gets a new token,
-- since the former one may have leaked.
create function turnpike.renew_session(caller turnpike.caller, p_new_token text, p_expires_at timestamptz,
  p_moment timestamptz)
returns void language plpgsql as $$
declare
  new_session sessions;
begin
  insert into sessions (
      session_id, token_hash, user_id, epoch, user_agent,
      address, created_at, last_seen_at, expires_at,
      proved_at)
  select
      turnpike.id_of_token(p_new_token), turnpike.hash_of_token(p_new_token), u.user_id, u.session_epoch, n.user_agent,
      n.address, n.created_at, p_moment, least(p_expires_at, n.created_at + turnpike.session_life(u.role)),
      caller.proved_at
    from sessions n
    join users u on u.user_id = n.user_id
  where n.session_id = caller.session_id
  returning * into new_session;
  perform turnpike.limit_sessions(new_session, p_moment);
end $$;

-- Ends all sessions and sign-in tokens of the caller by raising the epoch. If p_new_token is not
-- null, the caller continues in a new session with it.
-- ended is false if the caller's session had already ended.
create function turnpike.end_sessions(p_request turnpike.request,
  p_new_token text, p_expires_at timestamptz, out actor turnpike.caller, out ended boolean) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  {{caller.opens}}
  ended := turnpike.lock_own_user(caller, p_request.moment);
  if ended then
    update users u set session_epoch = u.session_epoch + 1 where u.user_id = caller.user_id;
    if p_new_token is not null then
      perform turnpike.renew_session(caller, p_new_token, p_expires_at, p_request.moment);
    end if;
  end if;
end $$;
