-- phase: before-deploy
-- transaction: none
-- Groups of people, and whom a space is shared with.
create table if not exists teams (
  team_id integer generated always as identity primary key,
  name text not null,
  description text,
  archived_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users
);

create table if not exists team_members (
  team_id integer not null references teams,
  user_id bigint not null references users,
  role text not null default 'member' check (role in ('lead', 'member')),
  created_at timestamptz not null,
  primary key (team_id, user_id)
);

create index if not exists team_members_of_user on team_members (user_id);

create table if not exists workspaces (
  workspace_id text primary key check (workspace_id ~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$'),
  name text not null,
  team_id integer references teams,
  bot_username text,
  bot_token text,
  archived_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users
);

create index if not exists workspaces_of_team on workspaces (team_id) where team_id is not null;

create table if not exists workspace_members (
  workspace_id text not null references workspaces,
  user_id bigint not null references users,
  role text not null default 'member' check (role in ('owner', 'admin', 'member')),
  created_at timestamptz not null,
  primary key (workspace_id, user_id)
);

create index if not exists workspace_members_of_user on workspace_members (user_id);

alter table spaces add column if not exists workspace_id text;
create index concurrently spaces_of_workspace on spaces (workspace_id, space_id) where workspace_id is not null;

create table if not exists space_members (
  space_id bigint not null references spaces,
  user_id bigint not null references users,
  created_at timestamptz not null,
  primary key (space_id, user_id)
);
create index if not exists space_members_of_user on space_members (user_id);

create or replace view space_shares as
  select s.space_id, m.user_id, 'member'::text as role
    from space_members m join spaces s on s.space_id = m.space_id join users o on o.user_id = s.user_id
    where o.disabled_at is null and m.user_id <> s.user_id
  union all
  select s.space_id, m.user_id, case when m.role in ('owner', 'admin') then 'admin' else 'member' end
    from workspace_members m join workspaces w on w.workspace_id = m.workspace_id join spaces s on s.workspace_id = w.workspace_id
      join users o on o.user_id = s.user_id
    where w.archived_at is null and o.disabled_at is null and m.user_id <> s.user_id
  union all
  select s.space_id, m.user_id, 'member'::text
    from team_members m join teams t on t.team_id = m.team_id join workspaces w on w.team_id = t.team_id
      join spaces s on s.workspace_id = w.workspace_id join users o on o.user_id = s.user_id
    where t.archived_at is null and w.archived_at is null and o.disabled_at is null and m.user_id <> s.user_id;

alter table turns add column if not exists member_id bigint;
create index concurrently turns_of_member on turns (member_id, turn_id collate "C" desc) where member_id is not null;

alter table files add column if not exists member_id bigint;
