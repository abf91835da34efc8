-- Makes a user an owner of an account for an operator, also if the user was not one of its people.
-- refused: unknown_account, unknown (no such user, or a disabled one), member_factor (the user has no second factor,
-- which the account requires). former: the role before.
create function turnpike.name_owner(p_account bigint, p_person bigint, p_request_id text, p_moment timestamptz,
  out refused text, out former text) language plpgsql as $$
begin
  former := turnpike.lock_people(p_account, p_person);
  refused := case when not exists (select from users a where a.user_id = p_account) then 'unknown_account'
    when not exists (select from users u where u.user_id = p_person and u.disabled_at is null) then 'unknown'
    when turnpike.lacks_member_factor(p_account, p_person) then 'member_factor' end;
  if refused is not null or former is not distinct from 'owner' then
    return;
  end if;
  if former is null and p_person <> p_account then
    insert into account_members (account_id, member_id, role, created_at)
      values (p_account, p_person, 'owner', p_moment);
  else
    perform turnpike.set_account_role(p_account, p_person, 'owner', p_moment);
  end if;
  perform turnpike.note_change(null, 'account.owner', 'user', p_account::text,
    turnpike.person_facts(p_person, former), turnpike.person_facts(p_person, 'owner'), p_request_id, null, p_moment);
end $$;
