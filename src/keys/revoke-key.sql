-- Revokes a key of the caller's account permanently. Nothing is accepted with it after this commit, and
-- ending_turns makes its open turns end. A second call returns the same answer. key is null if the account has no
-- such key. ending: some turns may still be open.
create function turnpike.revoke_key(p_request turnpike.request, p_key_id text, out actor turnpike.caller,
  out key turnpike.key_answer, out ending boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  revoked api_keys;
begin
  {{caller.opens}}
  revoked := turnpike.revoke_own(p_request, caller, p_key_id);
  if revoked.key_id is not null then
    ending := revoked.ending_turns;
    key := turnpike.key_answer_of(revoked);
  end if;
  {{caller.closes}}
end $$;

-- Revokes a key of the caller's account, and records it once. Returns the revoked key; null if there is no such key.
create function turnpike.revoke_own(p_request turnpike.request, caller turnpike.caller, p_key_id text)
returns api_keys language plpgsql as $$
declare
  was api_keys;
  revoked api_keys;
begin
  -- Locked before it is read, so that only one of two concurrent revokes is recorded.
  select k.* into was from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  update api_keys k set revoked_at = coalesce(k.revoked_at, p_request.moment),
    ending_turns = k.ending_turns or k.revoked_at is null
    where k.key_id = p_key_id and k.user_id = caller.user_id
    returning k.* into revoked;
  if revoked.key_id is not null and was.revoked_at is null then
    perform turnpike.note_own_change(p_request, caller, 'key.revoke', 'key', p_key_id,
      to_jsonb(turnpike.key_answer_of(was)), to_jsonb(turnpike.key_answer_of(revoked)));
    perform turnpike.tell_notice(caller.user_id, 'key.revoked',
      jsonb_build_object('key_id', p_key_id, 'name', revoked.name,
      'scope', revoked.scope, 'test', revoked.test, 'hint', revoked.hint), p_request.moment);
  end if;
  return revoked;
end $$;
