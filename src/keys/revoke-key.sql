-- Revokes a key of the caller's account permanently. Nothing is accepted with it after this commit, and
-- ending_turns makes its open turns end. A second call returns the same answer. key is null if the account has no
-- such key. ending: some turns may still be open.
create function turnpike.revoke_key(p_request turnpike.request, p_key_id text, out actor turnpike.caller,
  out key turnpike.key_answer, out ending boolean) language plpgsql as $$
declare
  caller turnpike.caller;
  was api_keys;
  revoked api_keys;
begin
  {{caller.opens}}
  -- Locked before it is read, so that only one of two concurrent revokes is recorded.
  select k.* into was from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  update api_keys k set revoked_at = coalesce(k.revoked_at, p_request.moment),
    ending_turns = k.ending_turns or k.revoked_at is null
    where k.key_id = p_key_id and k.user_id = caller.user_id
    returning k.* into revoked;
  if revoked.key_id is not null then
    ending := revoked.ending_turns;
    key := turnpike.key_answer_of(revoked);
    if was.revoked_at is null then
      perform turnpike.note_own_change(p_request, caller, 'key.revoke', 'key', p_key_id,
        to_jsonb(turnpike.key_answer_of(was)), to_jsonb(key));
      perform turnpike.tell_notice(caller.user_id, 'key.revoked',
        jsonb_build_object('key_id', p_key_id, 'name', revoked.name,
        'scope', revoked.scope, 'test', revoked.test, 'hint', revoked.hint), p_request.moment);
    end if;
  end if;
  {{caller.closes}}
end $$;
