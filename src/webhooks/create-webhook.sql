-- Registers an endpoint, which gets the events that its caller may see. webhook is null when the account has p_most endpoints already.
create function turnpike.create_webhook(p_caller_kind text, p_caller_token text, p_caller_test boolean, p_moment timestamptz,
  p_once_key text, p_fingerprint text, p_webhook_id text, p_url text, p_events jsonb, p_description text, p_secret text, p_shown text,
  p_most integer, out actor jsonb, out already jsonb, out webhook jsonb) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_caller_kind, p_caller_token, p_caller_test, p_moment);
  free_slot integer;
  made webhook_endpoints;
begin
  actor := to_jsonb(caller);
  if caller.usable is not true then
    return;
  end if;
  select to_jsonb(k) into already from turnpike.used_key(caller, p_once_key) k where k.fingerprint is not null;
  if already is null then
    -- The lock keeps two requests from taking the same slot.
    perform from users u where u.user_id = caller.user_id for no key update;
    select min(n) into free_slot from generate_series(1, p_most) n
      where not exists (select from webhook_endpoints w
        where w.user_id = caller.user_id and w.test = caller.test and w.deleted_at is null and w.slot = n);
    if free_slot is not null then
      insert into webhook_endpoints (webhook_id, user_id, test, key_id, scope, space_id, url, events, description, secret, slot,
        created_at, updated_at)
      values (p_webhook_id, caller.user_id, caller.test, caller.key_id, caller.scope, caller.space_id, p_url, p_events, p_description,
        p_secret, free_slot, p_moment, p_moment)
      returning * into made;
      webhook := to_jsonb(made);
      perform turnpike.note_key(caller, p_once_key, p_fingerprint, p_shown, p_moment);
    end if;
  end if;
  perform turnpike.note_use(caller, p_moment);
end $$;
