-- The caller leaves an account. Its owners decide about the caller's keys (listMembers). refused: unknown, last_owner.
create function turnpike.leave_account(p_request turnpike.request, p_account bigint,
  out actor turnpike.caller, out refused text) language plpgsql as $$
declare
  caller turnpike.caller;
  leaver turnpike.caller;
  former text;
begin
  {{caller.opens}}
  former := turnpike.lock_people(p_account, caller.user_id);
  refused := case when former is null then 'unknown'
    when turnpike.lacks_owner_after(p_account, caller.user_id, former, null) then 'last_owner' end;
  if refused is null then
    perform turnpike.set_account_role(p_account, caller.user_id, null, p_request.moment);
    leaver := caller;
    leaver.person_id := caller.user_id;
    leaver.user_id := p_account;
    leaver.account_role := former;
    perform turnpike.note_own_change(p_request, leaver, 'member.leave', 'member', caller.user_id::text,
      turnpike.person_facts(caller.user_id, former), null);
  end if;
  {{caller.closes}}
end $$;
