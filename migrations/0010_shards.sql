-- phase: before-deploy
-- Shards of wallets and the queue of postings. Nobody has shards before the deploy is over: workers of the former release know of none.
alter table wallets add column if not exists shards integer not null default 0 check (shards >= 0),
  add column if not exists shard_hold_credit_micros bigint not null default 0,
  add column if not exists folded_credit_micros bigint not null default 0,
  add column if not exists waits integer not null default 0;

create table if not exists wallet_shards (
  user_id bigint not null,
  shard integer not null,
  balance_credit_micros bigint not null default 0,
  held_credit_micros bigint not null default 0,
  primary key (user_id, shard)
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create or replace function guard_posted_balance() returns trigger language plpgsql as $$
begin
  if new.balance_credit_micros < (select sum(s.held_credit_micros) from wallet_shards s where s.user_id = new.user_id) then
    raise exception 'account % has less posted than is held', new.user_id using errcode = 'check_violation';
  end if;
  return new;
end $$;
create or replace trigger wallets_cover_shards before update of balance_credit_micros on wallets
  for each row when (new.shards > 0) execute function guard_posted_balance();

create table if not exists postings (
  posting_id bigint generated always as identity primary key,
  user_id bigint not null,
  reason text not null,
  amount_credit_micros bigint not null,
  turn_id text not null,
  created_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create index if not exists postings_of_account on postings (user_id, posting_id);
create index if not exists postings_by_time on postings (created_at);

create table if not exists spend_counted (
  user_id bigint not null,
  kind text not null check (kind in ('key', 'end_user')),
  subject text not null,
  since timestamptz not null,
  primary key (user_id, kind, subject)
);

alter table spend_counters add column if not exists counted boolean not null default false,
  add column if not exists sharded boolean not null default false;

create table if not exists spend_counter_shards (
  user_id bigint not null,
  kind text not null,
  subject text not null,
  period text not null,
  starts_at timestamptz not null,
  shard integer not null,
  spent_credit_micros bigint not null,
  reserved_credit_micros bigint not null,
  primary key (user_id, kind, subject, period, starts_at, shard)
) with (fillfactor = 40, autovacuum_vacuum_scale_factor = 0.02);
create index if not exists spend_counter_shards_by_time on spend_counter_shards (starts_at);
