-- Starts a session of a user who has proved who they are, and answers it with its user. No row: the user cannot sign in, or the proof
-- is no longer valid. p_granted_…: the epoch, session or identity that an earlier proof comes from; null: none. No lock is needed: the
-- session has the epoch that was read, so raising the epoch in the meantime ends it too.
create function turnpike.start_session(p_session_id text, p_user_id bigint, p_granted_epoch integer, p_granted_session text,
  p_granted_issuer text, p_granted_subject text, p_except_admins boolean, p_user_agent text, p_address text, p_expires_at timestamptz,
  p_moment timestamptz)
returns table (session_id text, user_id bigint, name text, email text, email_verified boolean, role text, brand text,
  created_at timestamptz) language plpgsql rows 1 as $$
declare
  owner users;
  giver turnpike.caller;
begin
  select u.* into owner from users u where u.user_id = p_user_id;
  if owner.user_id is null or owner.disabled_at is not null or owner.session_epoch <> coalesce(p_granted_epoch, owner.session_epoch)
    or (p_except_admins and owner.role = 'admin')
  then
    return;
  end if;
  if p_granted_session is not null then
    giver := turnpike.find_caller('session', p_granted_session, false, p_moment);
    if giver.usable is not true or giver.user_id <> owner.user_id then
      return;
    end if;
  end if;
  if p_granted_issuer is not null then
    perform from identities i where i.issuer = p_granted_issuer and i.subject = p_granted_subject and i.user_id = owner.user_id;
    if not found then
      return;
    end if;
  end if;
  insert into sessions (session_id, user_id, epoch, user_agent, address, created_at, last_seen_at, expires_at)
  values (p_session_id, owner.user_id, owner.session_epoch, p_user_agent, p_address, p_moment, p_moment, p_expires_at);
  return query select p_session_id, owner.user_id, owner.name, owner.email, owner.email_verified, owner.role, owner.brand, owner.created_at;
end $$;
