-- phase: before-deploy
-- transaction: none
-- Usage of spaces, accounts, models and providers by the hour. What is rolled up already, and what rollers of the former release still
-- roll up, the sweep breaks down (src/analytics/break-down-hour.sql); until then such hours are read from raw records, as before.
alter table usage_hours add column if not exists broken_down bigint default 0;

alter table space_hours
  add column if not exists tokens_input bigint not null default 0,
  add column if not exists tokens_cached bigint not null default 0,
  add column if not exists tokens_output bigint not null default 0;

create table if not exists user_hours (
  user_id bigint not null,
  hour timestamptz not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (user_id, hour)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists model_hours (
  hour timestamptz not null,
  model text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (hour, model)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists provider_hours (
  hour timestamptz not null,
  provider_key text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (hour, provider_key)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
