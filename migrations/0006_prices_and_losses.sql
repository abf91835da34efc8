-- phase: before-deploy
-- transaction: none
-- Prices of their own for what a provider writes into its cache, how long a model may be silent, and whose fault a failure was.
alter table model_catalog add column if not exists price_cache_write bigint check (price_cache_write >= 0);
alter table model_catalog add column if not exists idle_seconds integer check (idle_seconds between 1 and 600);
alter table turns add column if not exists tokens_cache_written bigint not null default 0;
alter table turns add column if not exists failed_by_us boolean not null default false;
alter table usage add column if not exists tokens_cache_written bigint not null default 0;
alter table api_turns add column if not exists tokens_cache_written bigint not null default 0;
create table if not exists losses (
  loss_id bigint generated always as identity primary key,
  turn_id text not null,
  cause text not null,
  credit_micros bigint check (credit_micros >= 0),
  created_at timestamptz not null
);
create index concurrently if not exists losses_by_time on losses (created_at);
