-- The signed-in user accepts an invitation to the own email. refused: unknown (no open invitation), email (it is for
-- another email, or the own one is not verified and the token did not come by email), member.
create function turnpike.accept_invitation(p_request turnpike.request, p_token text, out actor turnpike.caller,
  out refused text, out account_id bigint) language plpgsql as $$
declare
  caller turnpike.caller;
  opened turnpike.opened_invitation;
  own users;
begin
  {{caller.opens}}
  opened := turnpike.find_invitation(p_token, p_request.moment);
  select u.* into own from users u where u.user_id = caller.user_id;
  account_id := opened.account_id;
  refused := case when opened.account_id is null then 'unknown'
    when (folded(own.email) = folded(opened.email) and (own.email_verified or opened.by_mail)) is not true then 'email'
    when turnpike.account_role(opened.account_id, own.user_id) is not null then 'member' end;
  if refused is null and not turnpike.join_account(p_request, p_token, own.user_id) then
    refused := 'unknown';
  end if;
  {{caller.closes}}
end $$;
