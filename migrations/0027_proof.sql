-- phase: before-deploy
-- transaction: none
-- When a session's user has last proved who they are; codes of authenticator apps; the end of sessions that are long over.
alter table sessions add column if not exists proved_at timestamptz;
alter table sessions add column if not exists factor_due boolean not null default false;
create table if not exists second_factors (
  user_id bigint primary key references users,
  secret text not null,
  last_step bigint not null default 0,
  recovery_hashes text[] not null default '{}',
  created_at timestamptz not null,
  confirmed_at timestamptz
);
create index concurrently if not exists sessions_expired on sessions (expires_at);
create index concurrently if not exists acting_sessions_of_admin on acting_sessions (admin_session_id);
