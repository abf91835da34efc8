-- The people of an account: its own user and its members (account_role in src/actor/account-role.sql).

-- Locks an account, so that changes of its people run one after the other. Returns the role that a person has under
-- this lock; null: the person is not one of its people.
create function turnpike.lock_people(p_account bigint, p_person bigint) returns text language plpgsql as $$
begin
  perform from users u where u.user_id = p_account for no key update;
  return turnpike.account_role(p_account, p_person);
end $$;

-- True if a change of a person's role (p_role null: the person leaves) would leave the account without an owner who
-- can sign in.
create function turnpike.lacks_owner_after(p_account bigint, p_person bigint, p_former text, p_role text)
returns boolean language plpgsql stable as $$
begin
  return p_former is not distinct from 'owner' and p_role is distinct from 'owner'
    and not exists (select from users u
      where u.user_id = p_account and u.own_role = 'owner' and u.user_id is distinct from p_person)
    and not exists (select from account_members m join users u on u.user_id = m.member_id
      where m.account_id = p_account and m.role = 'owner' and m.member_id is distinct from p_person
        and u.disabled_at is null);
end $$;

-- Gives a person another role; null: the person leaves. A person who is no longer an owner takes the own invitations
-- along, and one who leaves also those to the own email.
create function turnpike.set_account_role(p_account bigint, p_person bigint, p_role text, p_moment timestamptz)
returns void language plpgsql as $$
begin
  if p_account = p_person then
    update users u set own_role = coalesce(p_role, 'none') where u.user_id = p_account;
  elsif p_role is null then
    delete from account_members m where m.account_id = p_account and m.member_id = p_person;
  else
    update account_members m set role = p_role where m.account_id = p_account and m.member_id = p_person;
  end if;
  if p_role is distinct from 'owner' then
    update account_invitations i set ended_at = p_moment
      where i.account_id = p_account and i.ended_at is null
        and (i.invited_by = p_person or (p_role is null and folded(i.email) = (
          select folded(u.email) from users u where u.user_id = p_person)));
  end if;
end $$;

-- True if an account requires a second factor of its people, and a person has none. Its own user needs none.
create function turnpike.lacks_member_factor(p_account bigint, p_person bigint) returns boolean
language plpgsql stable as $$
begin
  return p_person is distinct from p_account and not turnpike.has_factor(p_person)
    and exists (select from users a where a.user_id = p_account and a.members_need_factor);
end $$;

-- The facts of a person for the audit log.
create function turnpike.person_facts(p_person bigint, p_role text) returns jsonb language plpgsql stable as $$
begin
  return (select jsonb_build_object('name', u.name, 'role', p_role) from users u where u.user_id = p_person);
end $$;
