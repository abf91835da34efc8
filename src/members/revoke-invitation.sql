-- Ends an open invitation of the account. refused: right, unknown. A second call changes nothing.
create function turnpike.revoke_invitation(p_request turnpike.request, p_invitation_id text,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  was account_invitations;
begin
  {{caller.opens}}
  if turnpike.lock_people(caller.user_id, turnpike.person_of(caller)) is distinct from 'owner' then
    refused := 'right';
    return;
  end if;
  select i.* into was
    from account_invitations i
    where i.invitation_id = p_invitation_id and i.account_id = caller.user_id;
  refused := case when was.invitation_id is null then 'unknown' end;
  if refused is null and was.ended_at is null then
    update account_invitations i set ended_at = p_request.moment where i.invitation_id = p_invitation_id;
    perform turnpike.note_own_change(p_request, caller, 'member.uninvite', 'invitation', p_invitation_id,
      turnpike.invitation_facts(turnpike.invitation_answer_of(was)), null);
  end if;
  {{caller.closes}}
end $$;
