-- The keys whose values a person of the account knows, because the person made or last rotated them.

-- A person's working keys that are beyond a role. p_role: the person's next role; null: the person leaves.
create function turnpike.keys_beyond(p_account bigint, p_person bigint, p_role text, p_moment timestamptz)
returns turnpike.key_answer[] language plpgsql stable as $$
begin
  return array(select turnpike.key_answer_of(k) from api_keys k
    where k.user_id = p_account and coalesce(k.made_by, p_account) = p_person
      and k.revoked_at is null and coalesce(k.expires_at > p_moment, true)
      and case p_role when 'owner' then false when 'developer' then k.role = 'owner' else true end
    order by k.key_id);
end $$;

-- Ends or keeps the keys of a person who loses rights. p_decision: 'revoke', or 'keep', which makes the caller answer
-- for them.
create function turnpike.decide_keys(p_request turnpike.request, caller turnpike.caller, p_keys turnpike.key_answer[],
  p_decision text) returns void language plpgsql as $$
declare
  one turnpike.key_answer;
begin
  foreach one in array p_keys loop
    if p_decision = 'revoke' then
      perform turnpike.revoke_own(p_request, caller, one.key_id);
    else
      perform turnpike.keep_own(p_request, caller, one.key_id);
    end if;
  end loop;
end $$;

-- Makes the caller the person who answers for a key. Its value stays.
create function turnpike.keep_own(p_request turnpike.request, caller turnpike.caller, p_key_id text)
returns turnpike.key_answer language plpgsql as $$
declare
  kept api_keys;
begin
  update api_keys k set made_by = turnpike.person_of(caller)
    where k.key_id = p_key_id and k.user_id = caller.user_id and k.revoked_at is null
    returning k.* into kept;
  if kept.key_id is null then
    return null;
  end if;
  perform turnpike.note_own_change(p_request, caller, 'key.keep', 'key', p_key_id, null,
    jsonb_build_object('hint', kept.hint));
  return turnpike.key_answer_of(kept);
end $$;

-- Keeps a key of a person who has left. refused: unknown, revoked.
create function turnpike.keep_key(p_request turnpike.request, p_key_id text, out actor turnpike.caller,
  out key turnpike.key_answer, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  own api_keys;
begin
  {{caller.opens}}
  select k.* into own from api_keys k where k.key_id = p_key_id and k.user_id = caller.user_id for no key update;
  refused := turnpike.key_refusal(own);
  if refused is null then
    key := turnpike.keep_own(p_request, caller, p_key_id);
  end if;
  {{caller.closes}}
end $$;
