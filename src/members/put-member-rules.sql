-- Requires a second factor of the account's members, or no longer. refused: right, own_factor (the caller has none).
create function turnpike.put_member_rules(p_request turnpike.request, p_need_factor boolean,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  before boolean;
begin
  {{caller.opens}}
  if turnpike.lock_people(caller.user_id, turnpike.person_of(caller)) is distinct from 'owner' then
    refused := 'right';
  elsif p_need_factor and not turnpike.has_factor(turnpike.person_of(caller)) then
    refused := 'own_factor';
  else
    select u.members_need_factor into before from users u where u.user_id = caller.user_id;
    update users u set members_need_factor = p_need_factor where u.user_id = caller.user_id;
    perform turnpike.note_own_change(p_request, caller, 'member.rules', 'account', caller.user_id::text,
      jsonb_build_object('second_factor', before), jsonb_build_object('second_factor', p_need_factor));
  end if;
  {{caller.closes}}
end $$;
