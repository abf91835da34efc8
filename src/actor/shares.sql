-- Spaces that are shared with a signed-in user, by the rule of the view space_shares. Keys have no shared spaces.
-- Each request reads the current rows.

-- The caller's role in another user's space: 'admin' (may change it), 'member' (may see and use
-- it), or null (not shared).
create function turnpike.role_in(caller turnpike.caller, space spaces) returns text language plpgsql stable as $$
begin
  -- A space is shared with a person, and not with the other people of the person's account.
  if caller.kind is distinct from 'session' or caller.test is distinct from space.test
    or caller.person_id is not null
  then
    return null;
  end if;
  -- In alphabetical order, the role with more rights comes first.
  return (select min(h.role) from space_shares h where h.space_id = space.space_id and h.user_id = caller.user_id);
end $$;

-- True if the caller sent a turn as a member of its space, and the space is still shared with the
-- caller. p_member_id: the turn's member.
create function turnpike.is_sent_by(caller turnpike.caller, p_member_id bigint, space spaces) returns boolean
language plpgsql stable as $$
begin
  if p_member_id is distinct from caller.user_id then
    return false;
  end if;
  return turnpike.role_in(caller, space) is not null;
end $$;

-- A caller as the member who acts in a space of another account. p_owner: the space's account.
create function turnpike.in_space_of(caller turnpike.caller, p_owner bigint) returns turnpike.caller
language plpgsql immutable as $$
begin
  if caller.user_id <> p_owner then
    caller.member_id := caller.user_id;
    caller.user_id := p_owner;
  end if;
  return caller;
end $$;

-- The caller of a turn that a signed-in user sends into a space. In a shared space, the user acts
-- for the owner, who is billed.
create function turnpike.as_member(caller turnpike.caller, p_slug text) returns turnpike.caller
language plpgsql stable as $$
declare
  space spaces;
begin
  select s.* into space from spaces s where s.slug = p_slug limit 1;
  if space.user_id <> caller.user_id and turnpike.role_in(caller, space) is not null then
    return turnpike.in_space_of(caller, space.user_id);
  end if;
  return caller;
end $$;
