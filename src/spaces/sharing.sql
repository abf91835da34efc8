-- An owner's view of the sharing of a space: the people, their spending limit, and ending the sharing.

-- Why a caller cannot manage the sharing of a space: not_found, or role (the space is shared with the caller); null
-- for its owner.
create function turnpike.sharing_refusal(caller turnpike.caller, space spaces) returns text language sql immutable as $$
  select case when space.space_id is null then 'not_found' when space.user_id is distinct
    from caller.user_id then 'role' end
$$;

-- The workspace of a shared space.
create type turnpike.sharing_workspace as (
  workspace_id text,
  name text
);

-- A person with whom a space is shared.
create type turnpike.sharing_person as (
  user_id bigint,
  name text, -- null
  role text
);

-- The sharing of a space: at most 200 of its people, and their current spending cap.
create type turnpike.sharing_answer as (
  space_id text,
  workspace turnpike.sharing_workspace, -- null: in no workspace
  people turnpike.sharing_person[],
  people_count bigint,
  own_limit bigint, -- null: the setting
  cap turnpike.cap_state
);

create function turnpike.sharing_answer_of(space spaces, p_moment timestamptz) returns turnpike.sharing_answer
language plpgsql stable as $$
begin
  return row(space.slug,
    (select (w.workspace_id, w.name)::turnpike.sharing_workspace from workspaces w
      where w.workspace_id = space.workspace_id),
    array(select (p.user_id, p.name, p.role)::turnpike.sharing_person
      from (select u.user_id, u.name, min(h.role) as role from space_shares h join users u on u.user_id = h.user_id
        where h.space_id = space.space_id group by u.user_id, u.name order by u.name, u.user_id limit 200) p
      order by p.name, p.user_id),
    (select count(distinct h.user_id) from space_shares h where h.space_id = space.space_id),
    space.members_daily_credit_micros,
    (select c from turnpike.cap_states(space.user_id, null, null, p_moment, null, space.space_id) c
      where c.cap = 'members_daily'))::turnpike.sharing_answer;
end $$;

-- Reads the sharing of the caller's space. refused: not_found, role.
create function turnpike.get_sharing(p_request turnpike.request, p_slug text,
  out actor turnpike.caller, out refused text, out sharing turnpike.sharing_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.find_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    sharing := turnpike.sharing_answer_of(space, p_request.moment);
  end if;
  {{caller.closes}}
end $$;

-- Ends the sharing of a space: removes it from its workspace, and removes its members. They lose access from their
-- next request on. A second call changes nothing. refused: not_found, role, moved (an admin moved the space to
-- another workspace at the same time).
create function turnpike.end_sharing(p_request turnpike.request, p_slug text, out actor turnpike.caller,
  out refused text, out sharing turnpike.sharing_answer) language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
  left_workspace text;
  before jsonb;
  after jsonb;
begin
  {{caller.opens}}
  space := turnpike.find_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    -- The lock order requires the workspace before its space.
    select w.workspace_id into left_workspace
      from workspaces w
      where w.workspace_id = space.workspace_id limit 1 for no key update;
    space := turnpike.lock_space(caller, p_slug);
    refused := case when space.workspace_id is distinct from left_workspace then 'moved' end;
  end if;
  if refused is null then
    before := to_jsonb(turnpike.sharing_answer_of(space, p_request.moment)) - 'cap';
    if left_workspace is not null then
      perform turnpike.leave_workspace(space.space_id, left_workspace, turnpike.person_of(caller),
        p_request.request_id, p_request.address, p_request.moment);
    end if;
    delete from space_members m where m.space_id = space.space_id;
    space.workspace_id := null;
    sharing := turnpike.sharing_answer_of(space, p_request.moment);
    after := to_jsonb(sharing) - 'cap';
    perform turnpike.note_own_change(p_request, caller, 'space.sharing_end', 'space', p_slug, before, after);
  end if;
  {{caller.closes}}
end $$;

-- Sets the most that the members of a space can spend together in a UTC day, from the next turn on. Null: the setting.
-- refused: not_found, role.
create function turnpike.put_members_limit(p_request turnpike.request, p_slug text,
  p_daily bigint, out actor turnpike.caller, out refused text, out sharing turnpike.sharing_answer)
language plpgsql as $$
declare
  caller turnpike.caller;
  space spaces;
begin
  {{caller.opens}}
  space := turnpike.lock_space(caller, p_slug);
  refused := turnpike.sharing_refusal(caller, space);
  if refused is null then
    update spaces s set members_daily_credit_micros = p_daily
      where s.space_id = space.space_id
      returning s.* into space;
    sharing := turnpike.sharing_answer_of(space, p_request.moment);
  end if;
  {{caller.closes}}
end $$;
