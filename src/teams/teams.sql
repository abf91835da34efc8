-- A member of a team or of a workspace.
create type turnpike.group_member as (
  user_id bigint,
  name text, -- null
  email text, -- null
  role text,
  created_at timestamptz
);

-- A team in answers to operators. Members are in the order in which they joined.
create type turnpike.team_answer as (
  team_id integer,
  name text,
  description text, -- null
  members turnpike.group_member[],
  archived_at timestamptz, -- null: active
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

create function turnpike.team_answer_of(p_team_id bigint) returns turnpike.team_answer language sql stable as $$
  select (t.team_id, t.name, t.description, array(
      select (u.user_id, u.name, u.email, m.role, m.created_at)::turnpike.group_member
      from team_members m
        join users u on u.user_id = m.user_id
      where m.team_id = t.team_id
      order by m.created_at, m.user_id),
    t.archived_at, t.version, t.created_at, t.updated_at, t.updated_by, c.name)::turnpike.team_answer
  from teams t
    left join users c on c.user_id = t.updated_by
  where t.team_id = p_team_id
$$;

-- The ids in a list of members, [{user_id, role}], that no user has; null if all users exist.
create function turnpike.unknown_users(p_members jsonb) returns bigint[] language sql stable as $$
  select array_agg((m.value -> 'user_id')::bigint)
    from jsonb_array_elements(p_members) m
    where not exists (select from users u where u.user_id = (m.value -> 'user_id')::bigint)
$$;

-- The fields of a team that the audit log records.
create function turnpike.team_facts(p_team_id bigint) returns jsonb language sql stable as $$
  select jsonb_build_object('name', t.name, 'description', t.description, 'archived_at', t.archived_at, 'members',
    coalesce((
    select jsonb_object_agg(m.user_id, m.role) from team_members m where m.team_id = t.team_id), '{}'))
  from teams t
  where t.team_id = p_team_id
$$;

-- Creates a team for an admin. refused: admin, unknown_user (unknown_users has the ids).
create function turnpike.create_team(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_name text, p_description text, p_members jsonb)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text, entity turnpike.team_answer,
  unknown_users bigint[])
language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  new_team_id integer;
begin
  {{admin.opens row}}
  already := turnpike.used_key(admin.caller, p_once_key);
  if already.resource_id is not null then
    entity := turnpike.team_answer_of(already.resource_id::bigint);
    return next;
    return;
  end if;
  unknown_users := turnpike.unknown_users(p_members);
  if unknown_users is not null then
    refused := 'unknown_user';
  else
    insert into teams as t (name, description, created_at, updated_at, updated_by)
      values (p_name, p_description, p_request.moment, p_request.moment, (admin.caller).user_id)
      returning t.team_id into new_team_id;
    insert into team_members (
        team_id, user_id, role, created_at)
      select
        new_team_id, (m.value -> 'user_id')::bigint, m.value ->> 'role', p_request.moment
      from jsonb_array_elements(p_members) m;
    perform turnpike.note_change((admin.caller).user_id, 'team.create', 'team', new_team_id::text, null,
      turnpike.team_facts(new_team_id), p_request.request_id, p_request.address, p_request.moment);
    perform turnpike.note_key(admin.caller, p_once_key, p_fingerprint, new_team_id::text, p_request.moment);
    entity := turnpike.team_answer_of(new_team_id);
  end if;
  {{admin.closes row}}
end $$;

-- True if a change gives a user access to the workspaces of a team: it adds a member, or restores an archived team.
create function turnpike.opens_team(was teams, p_change jsonb) returns boolean language sql stable as $$
  select coalesce(was.archived_at is not null and p_change @> '{"archived": false}', false)
    or exists (select
      from jsonb_array_elements(case when p_change ? 'members' then p_change -> 'members' else '[]' end) w
      where not exists (select from team_members m where m.team_id = was.team_id
        and m.user_id = (w.value -> 'user_id')::bigint))
$$;

-- Changes a team for an admin.
-- p_change: the fields to change. `members` replaces the list; members who stay keep the time at which they joined.
-- refused: admin, not_found, stale, unknown_user (unknown_users has the ids), or proof: a recent proof of identity is
-- needed if the change gives a user access. notices: the notices of tell_shared.
create function turnpike.update_team(p_request turnpike.request,
  p_team_id bigint, p_change jsonb, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.team_answer, unknown_users bigint[],
  notices turnpike.shared_notice[]) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was teams;
  before jsonb;
  after jsonb;
  space_ids bigint[];
  shared jsonb;
begin
  {{admin.opens row}}
  -- The lock on the team also covers its members: a concurrent edit waits, and then sees all changes of the first.
  select t.* into was from teams t where t.team_id = p_team_id limit 1 for no key update;
  if was.team_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif turnpike.opens_team(was, p_change) and turnpike.lacks_proof(admin.caller, p_request.moment) then
    refused := 'proof';
  elsif p_change ? 'members' and turnpike.unknown_users(p_change -> 'members') is not null then
    refused := 'unknown_user';
    unknown_users := turnpike.unknown_users(p_change -> 'members');
  else
    before := turnpike.team_facts(p_team_id);
    space_ids := array(select s.space_id from spaces s join workspaces w on w.workspace_id = s.workspace_id
      where w.team_id = p_team_id);
    shared := turnpike.shared_with(space_ids, null);
    if p_change ? 'members' then
      delete from team_members m
        where m.team_id = p_team_id
        and not exists (select from jsonb_array_elements(p_change -> 'members') w
          where (w.value -> 'user_id')::bigint = m.user_id);
      insert into team_members as m (
          team_id, user_id, role, created_at)
        select
          p_team_id, (w.value -> 'user_id')::bigint, w.value ->> 'role', p_request.moment
        from jsonb_array_elements(p_change -> 'members') w
        on conflict on constraint team_members_pkey do update set role = excluded.role;
    end if;
    update teams t set
        name = case when p_change ? 'name' then p_change ->> 'name' else t.name end,
        description = case when p_change ? 'description' then p_change ->> 'description' else t.description end,
        archived_at = case when p_change -> 'archived' = 'true' then coalesce(t.archived_at, p_request.moment)
          when p_change -> 'archived' = 'false' then null else t.archived_at end
      where t.team_id = p_team_id;
    after := turnpike.team_facts(p_team_id);
    if after is distinct from before then
      update teams t set version = t.version + 1, updated_at = p_request.moment, updated_by = (admin.caller).user_id
        where t.team_id = p_team_id;
      notices := turnpike.tell_shared(space_ids, null, shared, p_request.moment);
      perform turnpike.note_change((admin.caller).user_id, 'team.update', 'team', p_team_id::text, before, after,
        p_request.request_id, p_request.address,
        p_request.moment);
    end if;
  end if;
  if refused is distinct from 'unknown_user' then
    entity := turnpike.team_answer_of(p_team_id);
  end if;
  {{admin.closes row}}
end $$;
