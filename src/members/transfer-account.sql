-- Hands the account over: p_person becomes an owner, and the caller gets p_role; null: the caller leaves.
-- keys: the caller's keys about which the new owner decides. refused: right, unknown, self, member_factor (the person
-- has no second factor, which the account requires).
create function turnpike.transfer_account(p_request turnpike.request, p_person bigint, p_role text,
  out actor turnpike.caller, out refused text, out keys turnpike.known_key[]) language plpgsql as $$
declare
  caller turnpike.caller;
  person bigint;
  former text;
begin
  {{caller.opens}}
  keys := '{}';
  person := turnpike.person_of(caller);
  if turnpike.lock_people(caller.user_id, person) is distinct from 'owner' then
    refused := 'right';
    return;
  end if;
  former := turnpike.account_role(caller.user_id, p_person);
  refused := case when p_person is not distinct from person then 'self'
    when former is null or exists (select from users u where u.user_id = p_person and u.disabled_at is not null)
      then 'unknown'
    when turnpike.lacks_member_factor(caller.user_id, p_person) then 'member_factor' end;
  if refused is null then
    keys := turnpike.keys_beyond(caller.user_id, person, p_role, p_request.moment);
    perform turnpike.set_account_role(caller.user_id, p_person, 'owner', p_request.moment);
    perform turnpike.set_account_role(caller.user_id, person, p_role, p_request.moment);
    perform turnpike.note_own_change(p_request, caller, 'account.transfer', 'member', p_person::text,
      turnpike.person_facts(p_person, former),
      turnpike.person_facts(p_person, 'owner') || jsonb_build_object('former_owner_role', p_role));
  end if;
  {{caller.closes}}
end $$;
