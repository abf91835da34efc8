-- Changes the role of a person of the account, or removes the person (p_role null), for an owner.
-- p_keys: the decision about the person's keys that are beyond the new role, 'revoke' or 'keep'; null: not decided.
-- refused: right (the caller is no longer an owner), unknown, last_owner, keys (decide about `keys` first), or
-- - proof: it takes the role from an owner, or keeps keys, and the caller has not proved their identity recently
create function turnpike.change_member(p_request turnpike.request, p_person bigint, p_role text, p_keys text,
  out actor turnpike.caller, out refused text, out keys turnpike.known_key[]) language plpgsql as $$
declare
  caller turnpike.caller;
  former text;
begin
  {{caller.opens}}
  keys := '{}';
  if turnpike.lock_people(caller.user_id, turnpike.person_of(caller)) is distinct from 'owner' then
    refused := 'right';
    return;
  end if;
  former := turnpike.account_role(caller.user_id, p_person);
  refused := case when former is null then 'unknown'
    when turnpike.lacks_owner_after(caller.user_id, p_person, former, p_role) then 'last_owner' end;
  if refused is null then
    keys := turnpike.keys_beyond(caller.user_id, p_person, p_role, p_request.moment);
    refused := case when keys is distinct from '{}' and p_keys is null then 'keys'
      when turnpike.lacks_proof(caller, p_request.moment)
      and ((former is not distinct from 'owner' and p_role is distinct from 'owner')
        or (keys is distinct from '{}' and p_keys is not distinct from 'keep')) then 'proof' end;
  end if;
  if refused is null and former is distinct from p_role then
    perform turnpike.set_account_role(caller.user_id, p_person, p_role, p_request.moment);
    perform turnpike.note_own_change(p_request, caller,
      case when p_role is null then 'member.remove' else 'member.update' end, 'member', p_person::text,
      turnpike.person_facts(p_person, former),
      case when p_role is not null then turnpike.person_facts(p_person, p_role) end);
  end if;
  if refused is null then
    perform turnpike.decide_keys(p_request, caller, keys, p_keys, p_person);
  end if;
  {{caller.closes}}
end $$;
