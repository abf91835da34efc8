-- Adds a person to the account of an invitation, once. False if the invitation has ended in the meantime.
create function turnpike.join_account(p_request turnpike.request, p_token text, p_person bigint) returns boolean
language plpgsql as $$
declare
  opened turnpike.opened_invitation := turnpike.find_invitation(p_token, p_request.moment);
  joiner turnpike.caller;
begin
  if opened.account_id is null or turnpike.lock_people(opened.account_id, p_person) is not null then
    return false;
  end if;
  -- It may have ended before the lock.
  opened := turnpike.find_invitation(p_token, p_request.moment);
  if opened.account_id is null then
    return false;
  end if;
  update account_invitations i set ended_at = p_request.moment where i.invitation_id = opened.invitation_id;
  if p_person = opened.account_id then
    -- The account's own user returns.
    perform turnpike.set_account_role(opened.account_id, p_person, opened.role, p_request.moment);
  else
    insert into account_members (account_id, member_id, role, created_at)
      values (opened.account_id, p_person, opened.role, p_request.moment);
  end if;
  joiner := (select row('session', null, u.name, opened.account_id, 'all', null, false, null, p_request.moment, null,
    'user', true, false, null, false, null, null, null, null, false, null, null, null, null, opened.role,
    p_person)::turnpike.caller from users u where u.user_id = p_person);
  perform turnpike.note_own_change(p_request, joiner, 'member.join', 'member', p_person::text, null,
    turnpike.person_facts(p_person, opened.role));
  return true;
end $$;
