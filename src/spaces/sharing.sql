-- What an owner sees and decides of a space of theirs that is shared with others: with whom, what those may spend, and its end.

-- Why somebody may not decide how a space is shared: not_found, role (it is shared with them themselves); null when it is theirs.
create function turnpike.sharing_refusal(caller turnpike.caller, space spaces) returns text language sql immutable as $$
  select case when space.space_id is null then 'not_found' when space.user_id is distinct from caller.user_id then 'role' end
$$;

-- With whom a space is shared, at most 200 of them, and what they may spend now (cap: a row of cap_states).
create function turnpike.sharing_json(space spaces, p_moment timestamptz) returns jsonb language plpgsql stable as $$
begin
  return jsonb_build_object('space_id', space.slug,
    'workspace', (select jsonb_build_object('workspace_id', w.workspace_id, 'name', w.name) from workspaces w
      where w.workspace_id = space.workspace_id),
    'people', (select coalesce(jsonb_agg(jsonb_build_object('user_id', p.user_id, 'name', p.name, 'role', p.role)
        order by p.name, p.user_id), '[]')
      from (select u.user_id, u.name, min(h.role) as role from space_shares h join users u on u.user_id = h.user_id
        where h.space_id = space.space_id group by u.user_id, u.name order by u.name, u.user_id limit 200) p),
    'people_count', (select count(distinct h.user_id) from space_shares h where h.space_id = space.space_id),
    'own_limit', space.members_daily_credit_micros,
    'cap', (select to_jsonb(c) from turnpike.cap_states(space.user_id, null, null, p_moment, null, space.space_id) c
      where c.cap = 'members_daily'));
end $$;

-- refused: not_found, role.
create function turnpike.get_sharing(p_request turnpike.request, p_slug text,
  out actor turnpike.caller, out refused text, out sharing jsonb) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_request);
  space spaces;
begin
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  space := turnpike.find_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    sharing := turnpike.sharing_json(space, p_request.moment);
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;

-- Ends every way on which a space is shared: takes it out of its workspace and removes its own members, who see nothing from the next
-- request on. Repeating it changes nothing. refused: not_found, role, moved (an admin has moved it to another workspace meanwhile).
create function turnpike.end_sharing(p_request turnpike.request, p_slug text, out actor turnpike.caller, out refused text, out sharing jsonb) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_request);
  space spaces;
  left_workspace text;
  before jsonb;
begin
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  space := turnpike.find_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    -- The workspace before its space, as everywhere.
    select w.workspace_id into left_workspace from workspaces w where w.workspace_id = space.workspace_id limit 1 for no key update;
    space := turnpike.lock_space(caller, p_slug);
    refused := case when space.workspace_id is distinct from left_workspace then 'moved' end;
  end if;
  if refused is null then
    before := turnpike.sharing_json(space, p_request.moment) - 'cap';
    if left_workspace is not null then
      perform turnpike.leave_workspace(space.space_id, left_workspace, caller.user_id, p_request.request_id, p_request.address, p_request.moment);
    end if;
    delete from space_members m where m.space_id = space.space_id;
    space.workspace_id := null;
    sharing := turnpike.sharing_json(space, p_request.moment);
    if before <> sharing - 'cap' then
      perform turnpike.note_change(caller.user_id, 'space.sharing_end', 'space', p_slug, before, sharing - 'cap', p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;

-- Sets what the members of a space may spend together in a UTC day; null: the setting. It binds the next turn. refused: not_found, role.
create function turnpike.put_members_limit(p_request turnpike.request, p_slug text,
  p_daily bigint, out actor turnpike.caller, out refused text, out sharing jsonb) language plpgsql as $$
declare
  caller turnpike.caller := turnpike.find_caller(p_request);
  space spaces;
begin
  actor := caller;
  if caller.usable is not true then
    return;
  end if;
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    update spaces s set members_daily_credit_micros = p_daily where s.space_id = space.space_id returning s.* into space;
    sharing := turnpike.sharing_json(space, p_request.moment);
  end if;
  perform turnpike.note_use(caller, p_request.moment);
end $$;
