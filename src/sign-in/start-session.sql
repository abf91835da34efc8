-- Starts a session of a user who has proved their identity, and returns it with its user. Returns no row if
-- the user cannot sign in or the proof is no longer valid.
-- p_token: the token of the new session. p_replaces: the token of the browser's former session, which ends.
-- p_granted_…: the epoch, the session (id, and hash of its token in hex, which no role reads) or the
-- identity of an earlier proof; null: none.
-- factor_due: the session waits for a code until p_factor_until.
-- A session started by another session keeps that session's proof and creation time, so it is neither
-- fresher nor longer.
-- No lock is needed: the row gets the epoch that was read, so raising the epoch concurrently ends it too.
create function turnpike.start_session(p_token text, p_user_id bigint, p_granted_epoch integer, p_granted_session text,
  p_granted_hash text, p_granted_issuer text, p_granted_subject text, p_except_admins boolean, p_replaces text,
  p_user_agent text, p_address text, p_expires_at timestamptz, p_factor_until timestamptz, p_request_id text,
  p_moment timestamptz)
returns table (factor_due boolean, news boolean, user_id bigint, name text, email text, email_verified boolean,
  role text, brand text, created_at timestamptz) language plpgsql rows 1 as $$
declare
  owner users;
  giving sessions;
  giver turnpike.caller;
  new_session sessions;
begin
  select u.* into owner from users u where u.user_id = p_user_id;
  if owner.user_id is null or owner.disabled_at is not null
    or owner.session_epoch <> coalesce(p_granted_epoch, owner.session_epoch)
    or (p_except_admins and owner.role = 'admin')
  then
    return;
  end if;
  if p_granted_session is not null then
    select n.* into giving
      from sessions n
      where n.session_id = p_granted_session and n.token_hash = decode(p_granted_hash, 'hex');
    giver := turnpike.caller_of_session(giving, false, p_moment);
    if giver.usable is not true or giver.user_id is distinct from owner.user_id then
      return;
    end if;
  end if;
  if p_granted_issuer is not null then
    perform from identities i
      where i.issuer = p_granted_issuer and i.subject = p_granted_subject and i.user_id = owner.user_id;
    if not found then
      return;
    end if;
  end if;
  if p_replaces is not null then
    perform turnpike.end_session(p_replaces, p_moment);
  end if;
  new_session.factor_due := giver.user_id is null and turnpike.has_factor(owner.user_id);
  new_session.expires_at := case when new_session.factor_due then p_factor_until
    else least(p_expires_at, coalesce(giver.created_at, p_moment) + turnpike.session_life(owner.role)) end;
  insert into sessions as n (
      session_id, token_hash, user_id, epoch, user_agent,
      address, created_at, last_seen_at, expires_at,
      proved_at, factor_due)
  values (
      turnpike.id_of_token(p_token), turnpike.hash_of_token(p_token), owner.user_id, owner.session_epoch, p_user_agent,
      p_address, coalesce(giver.created_at, p_moment), p_moment, new_session.expires_at,
      case when giver.user_id is null then p_moment else giver.proved_at end, new_session.factor_due)
  returning n.* into new_session;
  if not new_session.factor_due then
    news := turnpike.note_sign_in(new_session, owner, p_request_id, p_moment);
  end if;
  perform turnpike.limit_sessions(new_session, p_moment);
  return query select new_session.factor_due, coalesce(news, false), owner.user_id, owner.name, owner.email,
    owner.email_verified, owner.role, owner.brand, owner.created_at;
end $$;

-- Records that a session can be used: an admin's in the audit log, and one at a new place in the
-- account's feed. Returns true for a new place.
-- A place is an address and a browser. It is new if no other session of the account has it.
-- The first session of a new account is excluded, and so are places beyond 20 per day (placesTold).
create function turnpike.note_sign_in(new_session sessions, owner users, p_request_id text, p_moment timestamptz)
returns boolean
language plpgsql as $$
begin
  if owner.role = 'admin' then
    perform turnpike.note_change(owner.user_id, 'user.sign_in', 'user', owner.user_id::text, null,
      jsonb_build_object('session_id', new_session.session_id, 'user_agent', new_session.user_agent), p_request_id,
      new_session.address, p_moment);
  end if;
  if exists (select from sessions n where n.user_id = new_session.user_id and n.address is not distinct
    from new_session.address
      and n.user_agent is not distinct from new_session.user_agent and n.session_id <> new_session.session_id
      and not n.factor_due)
    or (owner.created_at > p_moment - interval '1 day'
      and not exists (select from sessions n where n.user_id = new_session.user_id
        and n.session_id <> new_session.session_id))
    or (select count(distinct (n.address, n.user_agent)) from sessions n where n.user_id = new_session.user_id
      and not n.factor_due
      and n.created_at > p_moment - interval '1 day') > 20
  then
    return false;
  end if;
  perform turnpike.tell_notice(new_session.user_id, 'account.signed_in',
    jsonb_build_object('session_id', new_session.session_id,
    'address', new_session.address, 'user_agent', new_session.user_agent), p_moment);
  return true;
end $$;

-- Starts a session for the command line, without a proof or a second factor: its caller has the database and the keys.
-- The account is told as of any sign-in, and the audit log has it. Returns false for an unknown or disabled user.
create function turnpike.begin_session(p_token text, p_user_id bigint, p_expires_at timestamptz, p_request_id text,
  p_moment timestamptz)
returns boolean language plpgsql as $$
declare
  owner users;
  new_session sessions;
begin
  select u.* into owner from users u where u.user_id = p_user_id;
  if owner.user_id is null or owner.disabled_at is not null then
    return false;
  end if;
  insert into sessions as n (
      session_id, token_hash, user_id, epoch,
      user_agent, created_at, last_seen_at, expires_at, proved_at, factor_due)
  values (
      turnpike.id_of_token(p_token), turnpike.hash_of_token(p_token), owner.user_id, owner.session_epoch,
      'command line', p_moment, p_moment, p_expires_at, p_moment, false)
  returning n.* into new_session;
  perform turnpike.note_sign_in(new_session, owner, p_request_id, p_moment);
  perform turnpike.note_change(null, 'cli.session', 'user', owner.user_id::text, null,
    jsonb_build_object('session_id', new_session.session_id, 'expires_at', p_expires_at), p_request_id, null, p_moment);
  perform turnpike.limit_sessions(new_session, p_moment);
  return true;
end $$;
