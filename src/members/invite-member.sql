-- Invites a person to the account, for an owner. It replaces an open invitation to the same email.
-- brand and account: for the email. refused: right, member (the person is one already), limit (reached: the limit),
-- daily (daily: the limit).
create function turnpike.invite_member(p_request turnpike.request, p_invitation_id text, p_email text, p_role text,
  p_link_token text, p_mail_token text, p_expires_at timestamptz, out actor turnpike.caller, out refused text,
  out invitation turnpike.invitation_answer, out account text, out brand text, out reached turnpike.count_state,
  out daily turnpike.daily_count) language plpgsql as $$
declare
  caller turnpike.caller;
  made account_invitations;
begin
  {{caller.opens}}
  if turnpike.lock_people(caller.user_id, turnpike.person_of(caller)) is distinct from 'owner' then
    refused := 'right';
    return;
  end if;
  refused := case when exists (select from users u where folded(u.email) = folded(p_email)
    and turnpike.account_role(caller.user_id, u.user_id) is not null) then 'member' end;
  if refused is null then
    update account_invitations i set ended_at = p_request.moment
      where i.account_id = caller.user_id and i.ended_at is null
        and (folded(i.email) = folded(p_email) or i.expires_at <= p_request.moment);
    reached := turnpike.over_limit('members', caller.user_id, 1);
    daily := turnpike.over_daily('daily_invitations', (select i.created_at from account_invitations i
      where i.account_id = caller.user_id
      order by i.created_at desc offset turnpike.limit_of('daily_invitations') - 1 limit 1), p_request.moment);
    refused := case when reached.cap is not null then 'limit' when daily.cap is not null then 'daily' end;
  end if;
  if refused is null then
    insert into account_invitations as n (
        invitation_id, account_id, email, role, link_hash,
        mail_hash, invited_by, created_at, expires_at)
    values (
        p_invitation_id, caller.user_id, p_email, p_role, turnpike.hash_of_token(p_link_token),
        turnpike.hash_of_token(p_mail_token), turnpike.person_of(caller), p_request.moment, p_expires_at)
    returning n.* into made;
    invitation := turnpike.invitation_answer_of(made);
    select u.name, u.brand into account, brand from users u where u.user_id = caller.user_id;
    perform turnpike.note_own_change(p_request, caller, 'member.invite', 'invitation', p_invitation_id, null,
      turnpike.invitation_facts(invitation));
  end if;
  {{caller.closes}}
end $$;
