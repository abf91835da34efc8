-- The caller of an acting session: the user's caller, with the admin in acting_user_id.
-- It ends with the admin's session or role, with the user's sessions or account, and when the user
-- becomes an admin. It is never prolonged.
create function turnpike.find_acting(p_token text, p_caller_test boolean, p_moment timestamptz) returns turnpike.caller
language plpgsql stable as $$
declare
  acting acting_sessions;
  owner users;
  admin_session sessions;
  admin turnpike.caller;
  valid boolean;
begin
  select a.* into acting
    from acting_sessions a
    where a.acting_id = turnpike.id_of_token(p_token) and a.token_hash = turnpike.hash_of_token(p_token);
  if acting.acting_id is null then
    return null;
  end if;
  select u.* into owner from users u where u.user_id = acting.user_id;
  select n.* into admin_session from sessions n where n.session_id = acting.admin_session_id;
  admin := turnpike.caller_of_session(admin_session, false, p_moment);
  valid := acting.ended_at is null and acting.epoch = owner.session_epoch and owner.disabled_at is null
    and owner.role <> 'admin'
    and admin.usable and admin.role = 'admin';
  return row('session', null, owner.name, owner.user_id, 'all', null, p_caller_test, acting.expires_at,
    acting.created_at, acting.acting_id, owner.role, valid and acting.expires_at > p_moment,
    valid and acting.expires_at <= p_moment, null, false, null, acting.admin_user_id, null, null, false, null,
    null, null, null, 'owner', null)::turnpike.caller;
end $$;
