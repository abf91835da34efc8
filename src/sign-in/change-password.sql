-- Replaces the password p_former_hash (null: none). All the caller's sessions end, and every token that would start one; the caller
-- goes on under p_new_session_id. Not changed when another password was set in the meantime, or the caller's session was ended.
create function turnpike.change_password(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_former_hash text, p_hash text, p_new_session_id text, p_expires_at timestamptz, p_request_id text, p_address text,
  out actor jsonb, out changed boolean) language plpgsql as $$
declare
  caller turnpike.caller;
begin
  caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  changed := turnpike.lock_own_user(caller, p_moment);
  if changed then
    update users u set password_hash = p_hash, session_epoch = u.session_epoch + 1
      where u.user_id = caller.user_id and u.password_hash is not distinct from p_former_hash;
    changed := found;
  end if;
  if changed then
    perform turnpike.renew_session(caller, p_new_session_id, p_expires_at, p_moment);
    perform turnpike.note_change(caller.user_id, 'user.password', 'user', caller.user_id::text,
      jsonb_build_object('has_password', p_former_hash is not null), jsonb_build_object('has_password', true), p_request_id, p_address,
      p_moment);
  end if;
end $$;
