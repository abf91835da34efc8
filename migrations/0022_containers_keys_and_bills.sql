-- phase: before-deploy
-- transaction: none
-- Environment files, container mappings, failures of infrastructure, and bills for containers and storage.
create table if not exists environment_files (
  file text primary key,
  sealed text not null,
  version integer not null default 1
);

create table if not exists environment_keys (
  file text not null references environment_files,
  key text not null,
  version integer not null default 1,
  updated_at timestamptz not null,
  updated_by bigint references users,
  primary key (file, key)
);

create table if not exists container_mappings (
  mapping_id bigint generated always as identity primary key,
  container text not null,
  space_id bigint not null references spaces,
  url text not null,
  headers text,
  header_names jsonb not null default '[]',
  enabled boolean not null default true,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users,
  version integer not null default 1,
  unique (space_id, container)
);

create table if not exists infrastructure_errors (
  error_id bigint generated always as identity primary key,
  kind text not null check (kind in ('container_start', 'container_exec', 'subagent_dispatch', 'model_call')),
  name text not null,
  code text not null,
  turn_id text,
  created_at timestamptz not null
);
create index if not exists infrastructure_errors_by_time on infrastructure_errors (created_at) include (kind, name);

create table if not exists container_calls (
  call_id bigint generated always as identity primary key,
  user_id bigint not null,
  space_id bigint not null,
  turn_id text not null,
  container text not null,
  milliseconds bigint not null check (milliseconds >= 0),
  created_at timestamptz not null,
  billed_at timestamptz
);
create index if not exists container_calls_to_bill on container_calls (user_id) include (milliseconds) where billed_at is null;
create index if not exists container_calls_billed on container_calls (billed_at) where billed_at is not null;

create table if not exists infra_runs (
  run_id bigint generated always as identity primary key,
  until_at timestamptz not null,
  container_second_micros double precision not null,
  stored_gib_hour_micros double precision not null,
  position bigint not null default 0,
  started_at timestamptz not null,
  finished_at timestamptz
);
create unique index if not exists infra_runs_one_open on infra_runs ((true)) where finished_at is null;

create table if not exists infra_accounts (
  user_id bigint primary key,
  billed_until timestamptz not null,
  due_credit_micros bigint not null default 0 check (due_credit_micros >= 0)
);
create index if not exists infra_accounts_with_dues on infra_accounts (user_id) where due_credit_micros > 0;
-- What was stored before there were prices for it is never billed.
insert into infra_accounts (user_id, billed_until)
  select distinct f.user_id, now() from files f where not f.test and f.state in ('pending', 'ready') on conflict do nothing;

create table if not exists infra_bills (
  bill_id bigint generated always as identity primary key,
  run_id bigint not null,
  user_id bigint not null,
  starts_at timestamptz,
  ends_at timestamptz not null,
  container_milliseconds bigint not null,
  stored_byte_seconds numeric not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros >= 0),
  ledger_id bigint unique,
  created_at timestamptz not null,
  unique (user_id, run_id),
  constraint infra_bills_are_booked check ((ledger_id is null) = (billed_credit_micros = 0))
);
create or replace trigger infra_bills_append_only before update or delete on infra_bills
  for each statement execute function guard_append_only();

alter table files add column if not exists deleted_at timestamptz;
create index concurrently if not exists files_stored on files (user_id) include (created_at, bytes)
  where state in ('pending', 'ready') and not test;
create index concurrently if not exists files_stored_before on files (user_id, deleted_at) include (created_at, bytes)
  where deleted_at is not null and not test;
create or replace function note_deleted_at() returns trigger language plpgsql as $$
begin
  new.deleted_at := new.updated_at;
  return new;
end $$;
create or replace trigger files_note_deleted_at before update of state on files
  for each row when (new.state = 'deleted' and old.state <> 'deleted') execute function note_deleted_at();
