-- Columns of users, brands and similar tables whose values never go into the audit log.
create function turnpike.secret_columns() returns text[] language sql immutable as $$
  select '{password_hash,bot_token,bot_webhook_secret,hash,previous_hash,secret,previous_secret,sealed,recovery_hashes}'::text[]
$$;

-- Writes a change into the audit log, without secrets (design section 7), in the transaction of the change itself. p_actor is the
-- acting user_id; null for the system, such as the command line.
create function turnpike.note_change(p_actor bigint, p_action text, p_subject_type text, p_subject_id text, p_before jsonb, p_after jsonb,
  p_request_id text, p_address text, p_moment timestamptz) returns void language plpgsql as $$
begin
  insert into audit_log (actor_user_id, action, subject_type, subject_id, before, after, request_id, address, created_at)
  values (p_actor, p_action, p_subject_type, p_subject_id, p_before - turnpike.secret_columns(),
    p_after - turnpike.secret_columns(), p_request_id, p_address, p_moment);
end $$;
