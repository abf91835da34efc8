-- Creates a key of the caller. p_key: its row of api_keys without owner and space. p_space: the slug of the space,
-- for the scope `space`. For a used Idempotency-Key, `key` is the key that the earlier request created.
-- refused: unknown (no such space in the key's mode, live or test), limit (reached: the limit), daily (daily: the
-- limit), role. role: the earlier key has rights that the caller lacks, or the role has changed since the look-up.
create function turnpike.create_key(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_key jsonb, p_space text)
returns table (actor turnpike.caller, already turnpike.earlier_request, key turnpike.key_answer, refused text,
  reached turnpike.count_state, daily turnpike.daily_count) language plpgsql rows 1 as $$
declare
  caller turnpike.caller;
  new_key api_keys;
begin
  {{caller.opens row}}
  already := turnpike.used_key(caller, p_once_key);
  if already.resource_id is not null then
    select k.* into new_key from api_keys k where k.key_id = already.resource_id and k.user_id = caller.user_id;
    key := case when not turnpike.is_beyond(new_key, caller) then turnpike.key_answer_of(new_key) end;
    refused := case when key.key_id is null then 'role' end;
    return next;
    return;
  end if;
  new_key := jsonb_populate_record(null::api_keys, p_key);
  new_key.user_id := caller.user_id;
  new_key.made_by := turnpike.person_of(caller);
  new_key.role := caller.account_role;
  if new_key.scope = 'space' then
    select s.space_id into new_key.space_id
      from spaces s
      where s.slug = p_space and s.user_id = caller.user_id and s.test = new_key.test;
  end if;
  if new_key.scope = 'space' and new_key.space_id is null then
    refused := 'unknown';
  else
    -- The lock keeps two concurrent calls from taking the last place.
    perform from users u where u.user_id = caller.user_id for no key update;
    reached := turnpike.over_limit('keys', caller.user_id, 1);
    refused := case when turnpike.has_other_role(caller) then 'role' when reached.cap is not null then 'limit' end;
    if refused is null then
      daily := turnpike.over_key_changes(caller.user_id, p_request.moment);
      refused := case when daily.cap is not null then 'daily' end;
    end if;
  end if;
  if refused is null then
    insert into api_keys select new_key.*;
    key := turnpike.key_answer_of(new_key);
    perform turnpike.note_own_change(p_request, caller, 'key.create', 'key', new_key.key_id, null, to_jsonb(key));
    perform turnpike.tell_key(new_key, false, p_request.moment);
    perform turnpike.note_key(caller, p_once_key, p_fingerprint, new_key.key_id, p_request.moment);
  end if;
  {{caller.closes row}}
end $$;

-- The daily limit of key changes, if it is reached; null while there is room. The changes are counted in the audit
-- log. The user's row must be locked.
create function turnpike.over_key_changes(p_user_id bigint, p_moment timestamptz) returns turnpike.daily_count
language plpgsql as $$
begin
  return turnpike.over_daily('daily_key_changes', (select a.created_at from audit_log a
    where a.account_user_id = p_user_id and a.subject_type = 'key' and a.action <> 'key.revoke'
    order by a.audit_id desc offset turnpike.limit_of('daily_key_changes') - 1 limit 1), p_moment);
end $$;

-- Notifies the account's owner about a key's new value.
create function turnpike.tell_key(k api_keys, p_rotated boolean, p_moment timestamptz) returns void
language plpgsql as $$
begin
  perform turnpike.tell_notice(k.user_id, 'key.created',
    jsonb_build_object('key_id', k.key_id, 'name', k.name, 'scope', k.scope,
    'test', k.test, 'hint', k.hint, 'rotated', p_rotated), p_moment);
end $$;
