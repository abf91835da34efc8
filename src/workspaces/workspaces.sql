create type turnpike.workspace_team as (
  team_id integer,
  name text,
  archived boolean
);

create type turnpike.workspace_team_member as (
  user_id bigint,
  name text, -- null
  email text -- null
);

create type turnpike.workspace_space as (
  space_id text,
  title text,
  owner_id bigint,
  archived boolean,
  test boolean
);

-- A workspace in answers to operators: its members, the members of its team, its spaces, and its bot without the token.
create type turnpike.workspace_answer as (
  workspace_id text,
  name text,
  team turnpike.workspace_team, -- null: no team is attached
  members turnpike.group_member[],
  team_members turnpike.workspace_team_member[],
  spaces turnpike.workspace_space[],
  bot_username text, -- null: no bot
  has_token boolean,
  archived_at timestamptz, -- null: active
  version integer,
  created_at timestamptz,
  updated_at timestamptz,
  updated_by bigint, -- null: the command line
  updated_by_name text -- null
);

create function turnpike.workspace_answer_of(p_workspace_id text) returns turnpike.workspace_answer
language sql stable as $$
  select (w.workspace_id, w.name,
    (select (t.team_id, t.name, t.archived_at is not null)::turnpike.workspace_team from teams t
      where t.team_id = w.team_id),
    array(select (u.user_id, u.name, u.email, m.role, m.created_at)::turnpike.group_member
      from workspace_members m join users u on u.user_id = m.user_id where m.workspace_id = w.workspace_id
      order by m.created_at, m.user_id),
    array(select (u.user_id, u.name, u.email)::turnpike.workspace_team_member
      from team_members m join teams t on t.team_id = m.team_id join users u on u.user_id = m.user_id
      where m.team_id = w.team_id and t.archived_at is null order by m.created_at, m.user_id),
    array(select (s.slug, s.title, s.user_id, s.archived_at is not null, s.test)::turnpike.workspace_space
      from spaces s where s.workspace_id = w.workspace_id order by s.title, s.slug),
    w.bot_username, w.bot_token is not null, w.archived_at, w.version, w.created_at, w.updated_at, w.updated_by,
    c.name)::turnpike.workspace_answer
  from workspaces w
    left join users c on c.user_id = w.updated_by
  where w.workspace_id = p_workspace_id
$$;

-- The fields of a workspace that the audit log records.
create function turnpike.workspace_facts(p_workspace_id text) returns jsonb language sql stable as $$
  select jsonb_build_object('name', w.name, 'team_id', w.team_id, 'archived_at', w.archived_at, 'bot_username',
    w.bot_username, 'has_token', w.bot_token is not null,
    'members', coalesce((select jsonb_object_agg(m.user_id, m.role) from workspace_members m
      where m.workspace_id = w.workspace_id), '{}'),
    'spaces', coalesce((select jsonb_agg(s.slug order by s.slug) from spaces s where s.workspace_id = w.workspace_id),
      '[]'))
  from workspaces w
  where w.workspace_id = p_workspace_id
$$;

-- Increases the version of a workspace and writes an audit entry, if its facts differ from p_before (workspace_facts).
-- The caller must hold the lock on the workspace.
create function turnpike.note_workspace(p_workspace_id text, p_action text, p_before jsonb, p_by bigint,
  p_request_id text, p_address text, p_moment timestamptz) returns void language plpgsql as $$
declare
  after jsonb := turnpike.workspace_facts(p_workspace_id);
begin
  if after is distinct from p_before then
    update workspaces w set version = w.version + 1, updated_at = p_moment, updated_by = p_by
      where w.workspace_id = p_workspace_id;
    perform turnpike.note_change(p_by, p_action, 'workspace', p_workspace_id, p_before, after, p_request_id, p_address,
      p_moment);
  end if;
end $$;

-- Creates a workspace for an admin. refused: admin, taken, unknown_team, unknown_user (unknown_users has the ids).
create function turnpike.create_workspace(p_request turnpike.request,
  p_once_key text, p_fingerprint text, p_workspace_id text, p_name text, p_team_id integer, p_members jsonb)
returns table (actor turnpike.caller, already turnpike.earlier_request, refused text, entity turnpike.workspace_answer,
  unknown_users bigint[]) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  is_new boolean;
begin
  {{admin.opens row}}
  already := turnpike.used_key(admin.caller, p_once_key);
  if already.resource_id is not null then
    entity := turnpike.workspace_answer_of(already.resource_id);
    return next;
    return;
  end if;
  if p_team_id is not null and not exists (select from teams t where t.team_id = p_team_id) then
    refused := 'unknown_team';
  elsif turnpike.unknown_users(p_members) is not null then
    refused := 'unknown_user';
    unknown_users := turnpike.unknown_users(p_members);
  else
    -- A concurrent request with the same id waits here for the first one, and then gets taken.
    insert into workspaces as w (workspace_id, name, team_id, created_at, updated_at, updated_by)
      values (p_workspace_id, p_name, p_team_id, p_request.moment, p_request.moment, (admin.caller).user_id)
      on conflict on constraint workspaces_pkey do nothing
      returning true into is_new;
    if is_new then
      insert into workspace_members (
          workspace_id, user_id, role, created_at)
        select
          p_workspace_id, (m.value -> 'user_id')::bigint, m.value ->> 'role', p_request.moment
        from jsonb_array_elements(p_members) m;
      perform turnpike.note_change((admin.caller).user_id, 'workspace.create', 'workspace', p_workspace_id, null,
        turnpike.workspace_facts(p_workspace_id), p_request.request_id, p_request.address, p_request.moment);
      perform turnpike.note_key(admin.caller, p_once_key, p_fingerprint, p_workspace_id, p_request.moment);
      entity := turnpike.workspace_answer_of(p_workspace_id);
    else
      refused := 'taken';
    end if;
  end if;
  {{admin.closes row}}
end $$;

-- Changes a workspace for an admin.
-- p_change: the fields to change. `spaces` (slugs) replaces the list. notices: the notices of tell_shared.
-- refused: admin, not_found, stale, unknown_team, unknown_space or space_taken (refused_spaces has the slugs).
create function turnpike.patch_workspace(p_request turnpike.request,
  p_workspace_id text, p_change jsonb, p_if_version integer)
returns table (actor turnpike.caller, refused text, entity turnpike.workspace_answer, refused_spaces text[],
  notices turnpike.shared_notice[]) language plpgsql rows 1 as $$
declare
  admin turnpike.admin_caller;
  was workspaces;
  before jsonb;
  slugs text[] := '{}';
  space_ids bigint[];
  shared jsonb;
begin
  {{admin.opens row}}
  select w.* into was from workspaces w where w.workspace_id = p_workspace_id limit 1 for no key update;
  if was.workspace_id is null then
    refused := 'not_found';
  elsif turnpike.is_stale(p_if_version, was.version) then
    refused := 'stale';
  elsif (p_change ->> 'team_id') is not null
    and not exists (select from teams t where t.team_id = (p_change -> 'team_id')::integer)
  then
    refused := 'unknown_team';
  else
    if p_change ? 'spaces' then
      slugs := array(select jsonb_array_elements_text(p_change -> 'spaces'));
      -- Locks the added and removed spaces in one order. So two requests that exchange spaces between workspaces
      -- cannot deadlock, and the second sees the changes of the first.
      perform from spaces s
        where s.slug = any(slugs) or s.workspace_id = p_workspace_id
        order by s.space_id for no key update;
      select 'unknown_space', array_agg(n.slug) into refused, refused_spaces
        from unnest(slugs) n (slug)
        where not exists (select from spaces s where s.slug = n.slug)
        having count(*) > 0;
      if refused is null then
        select 'space_taken', array_agg(s.slug) into refused, refused_spaces
          from spaces s
          where s.slug = any(slugs) and s.workspace_id <> p_workspace_id
          having count(*) > 0;
      end if;
    end if;
    if refused is null then
      before := turnpike.workspace_facts(p_workspace_id);
      space_ids := array(select s.space_id from spaces s where s.workspace_id = p_workspace_id or s.slug = any(slugs));
      shared := turnpike.shared_with(space_ids, null);
      if p_change ? 'spaces' then
        update spaces s set workspace_id = null where s.workspace_id = p_workspace_id and s.slug <> all(slugs);
        update spaces s set workspace_id = p_workspace_id where s.slug = any(slugs) and s.workspace_id is null;
      end if;
      update workspaces w set
          name = case when p_change ? 'name' then p_change ->> 'name' else w.name end,
          team_id = case when p_change ? 'team_id' then (p_change ->> 'team_id')::integer else w.team_id end,
          archived_at = case when p_change -> 'archived' = 'true' then coalesce(w.archived_at, p_request.moment)
            when p_change -> 'archived' = 'false' then null else w.archived_at end
        where w.workspace_id = p_workspace_id;
      notices := turnpike.tell_shared(space_ids, null, shared, p_request.moment);
      perform turnpike.note_workspace(p_workspace_id, 'workspace.update', before, (admin.caller).user_id,
        p_request.request_id, p_request.address, p_request.moment);
    end if;
  end if;
  if refused is null or refused = 'stale' then
    entity := turnpike.workspace_answer_of(p_workspace_id);
  end if;
  {{admin.closes row}}
end $$;

-- Removes a space from its workspace for its owner. The caller must hold the locks on the workspace and then the space.
create function turnpike.leave_workspace(p_space_id bigint, p_workspace_id text, p_by bigint, p_request_id text,
  p_address text, p_moment timestamptz) returns void language plpgsql as $$
declare
  before jsonb := turnpike.workspace_facts(p_workspace_id);
begin
  update spaces s set workspace_id = null where s.space_id = p_space_id and s.workspace_id = p_workspace_id;
  perform turnpike.note_workspace(p_workspace_id, 'workspace.space_leave', before, p_by, p_request_id, p_address,
    p_moment);
end $$;
