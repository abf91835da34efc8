-- phase: before-deploy
-- transaction: none
-- Accounts at the providers of models; the model calls of web-chat turns; what usage says of each call; models that make pictures.
create table if not exists provider_accounts (
  provider_id text primary key check (provider_id ~ '^[a-z][a-z0-9_-]{0,63}$'),
  pool text not null check (pool in ('main', 'alt-pool', 'media')),
  name text not null,
  kind text not null check (kind in ('api_key', 'oauth_code', 'oauth_device')),
  engine text not null check (engine in ('anthropic', 'openai', 'openai-compatible')),
  base_url text,
  external_id text,
  disabled_at timestamptz,
  disabled_reason text,
  health text not null default 'healthy' check (health in ('healthy', 'needs_login', 'contained')),
  health_at timestamptz,
  version integer not null default 1,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  updated_by bigint references users,
  unique (pool, external_id)
);

create table if not exists provider_states (
  provider_id text primary key references provider_accounts on delete cascade,
  cool_until timestamptz,
  cool_reason text,
  probe_until timestamptz,
  windows jsonb not null default '{}',
  lacks jsonb not null default '{}'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

create table if not exists provider_credentials (
  provider_id text primary key references provider_accounts on delete cascade,
  sealed text not null,
  expires_at timestamptz,
  version integer not null default 1,
  refreshing_until timestamptz,
  refreshing_by text,
  login_id text,
  updated_at timestamptz not null
);
create index if not exists provider_credentials_refreshing on provider_credentials (refreshing_until) where refreshing_until is not null;

create table if not exists quota_snapshots (
  provider_id text not null,
  resource text not null,
  window_seconds integer not null check (window_seconds > 0),
  used_pct real not null check (used_pct >= 0),
  reset_at timestamptz,
  taken_at timestamptz not null
) with (autovacuum_vacuum_insert_scale_factor = 0.05);
create index if not exists quota_snapshots_of_window on quota_snapshots (provider_id, resource, window_seconds, taken_at) include (used_pct, reset_at);

create table if not exists account_hours (
  hour timestamptz not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  last_call_at timestamptz not null,
  primary key (subscription_id, hour)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists account_days (
  day date not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  last_call_at timestamptz not null,
  primary key (subscription_id, day)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists former_providers (
  provider_id text primary key,
  pool text not null,
  name text not null,
  removed_at timestamptz not null
);

create table if not exists quota_thinning (
  one boolean primary key default true check (one),
  thinned_until timestamptz not null
);

create table if not exists provider_logins (
  login_id text primary key,
  pool text not null check (pool in ('alt-pool', 'media')),
  started_by bigint not null references users,
  state text not null check (state in ('polling', 'authorized', 'expired', 'error')),
  sealed text,
  interval_seconds integer,
  due_at timestamptz not null,
  takes integer not null default 0,
  error text,
  provider_id text,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check ((state = 'polling') = (sealed is not null))
);
create unique index if not exists provider_logins_one_running on provider_logins (pool) where state = 'polling';
create index if not exists provider_logins_newest on provider_logins (pool, created_at desc);

create table if not exists chat_calls (
  turn_id text not null,
  step integer not null,
  user_id bigint not null,
  space_id bigint not null,
  conversation_id text not null,
  test boolean not null,
  provider text not null,
  subscription_id text,
  model text not null,
  role text not null check (role in ('orchestrator', 'subagent')),
  subagent text,
  tokens_input bigint not null check (tokens_input >= 0),
  tokens_cached bigint not null check (tokens_cached >= 0 and tokens_cached <= tokens_input),
  tokens_cache_written bigint not null default 0,
  tokens_output bigint not null check (tokens_output >= 0),
  duration_sec double precision not null check (duration_sec >= 0),
  price_version integer not null,
  cost_credit_micros bigint not null check (cost_credit_micros >= 0),
  billed_credit_micros bigint not null check (billed_credit_micros in (0, cost_credit_micros)),
  created_at timestamptz not null,
  settled_at timestamptz,
  call integer,
  calls integer not null default 1 check (calls > 0)
) with (fillfactor = 90, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
create unique index if not exists chat_calls_once on chat_calls (turn_id, step, coalesce(call, -1));

alter table conversations
  add column if not exists provider_id text,
  add column if not exists served_at timestamptz;
alter table open_turns add column if not exists provider_id text;
create index concurrently if not exists open_turns_of_provider on open_turns (provider_id) where provider_id is not null;
alter table usage
  add column if not exists subagent text,
  add column if not exists conversation_id text,
  add column if not exists test boolean,
  add column if not exists call integer;
-- Former workers write one row for each step, so the new index lets through what the old one did.
create unique index concurrently if not exists usage_once on usage (turn_id, step, coalesce(call, -1));
alter table usage drop constraint if exists usage_turn_id_step_role_key;

alter table model_catalog
  add column if not exists kind text not null default 'chat' check (kind in ('chat', 'image')),
  add column if not exists price_image bigint check (price_image >= 0)
    constraint model_catalog_images_have_a_price check ((kind = 'image') = (price_image is not null));
alter table former_prices add column if not exists price_image bigint;
create or replace function guard_enabled_model() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  if not exists (select from model_catalog where enabled and kind = 'chat') then
    raise exception 'no model would be enabled' using errcode = '23514';
  end if;
  return null;
end $$;
