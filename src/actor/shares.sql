-- Spaces that are shared with a signed-in user: the view space_shares has the rule. No key has a part in one, and a part lasts as long as
-- its rows: each request looks again.

-- What a caller may do in somebody else's space: 'admin' (change it), 'member' (see and use it) or null (it is not there).
create function turnpike.role_in(caller turnpike.caller, space spaces) returns text language plpgsql stable as $$
begin
  if caller.kind is distinct from 'session' or caller.test is distinct from space.test then
    return null;
  end if;
  -- The alphabet has them in the order of what they may.
  return (select min(h.role) from space_shares h where h.space_id = space.space_id and h.user_id = caller.user_id);
end $$;

-- Whether a turn was sent by the caller as a member of its space, which is still shared with them. p_member_id: of the turn.
create function turnpike.is_sent_by(caller turnpike.caller, p_member_id bigint, space spaces) returns boolean language plpgsql stable as $$
begin
  if p_member_id is distinct from caller.user_id then
    return false;
  end if;
  return turnpike.role_in(caller, space) is not null;
end $$;

-- A signed-in caller as who sends a turn into a space: in one that is shared with them they act for its owner, who is billed.
create function turnpike.as_member(caller turnpike.caller, p_slug text) returns turnpike.caller language plpgsql stable as $$
declare
  space spaces;
begin
  select s.* into space from spaces s where s.slug = p_slug limit 1;
  if space.user_id <> caller.user_id and turnpike.role_in(caller, space) is not null then
    caller.member_id := caller.user_id;
    caller.user_id := space.user_id;
  end if;
  return caller;
end $$;
