-- phase: before-deploy
-- transaction: none
-- Users that operators edit: which version each is, and who changed it last. What an account was given, without reading its charges.
alter table users add column if not exists version integer not null default 1;
alter table users add column if not exists updated_at timestamptz;
alter table users add column if not exists updated_by bigint references users;
alter table users add column if not exists search text;
create or replace function note_search_of_user() returns trigger language plpgsql as $$
begin
  new.search := lower(concat_ws(chr(10), new.user_id::text, new.name, new.email));
  return new;
end $$;
create or replace trigger users_search before insert or update of name, email on users
  for each row execute function note_search_of_user();
create index concurrently if not exists users_by_role on users (role, user_id desc);
create index concurrently if not exists ledger_without_charges on ledger (user_id, created_at)
  include (reason, amount_credit_micros) where reason not in ('usage', 'space_usage') or turn_id is null;

-- batch
update users u set name = u.name from (select w.user_id from users w where w.search is null order by w.user_id limit 500 for no key update) old
  where old.user_id = u.user_id;

-- Subscriptions that operators edit, and the credit that their periods include: what has begun before now has none.
alter table subscriptions add column if not exists note text;
alter table subscriptions add column if not exists version integer not null default 1;
alter table subscriptions add column if not exists updated_by bigint references users;
alter table subscriptions add column if not exists credited_periods integer not null default 0 check (credited_periods >= 0);
alter table subscriptions add column if not exists crediting boolean not null default true;
alter table subscriptions add column if not exists credit_tried_at timestamptz;
update subscriptions s
  set credited_periods = begun.months + ((s.starts_at at time zone 'UTC') + make_interval(months => begun.months) <= now() at time zone 'UTC')::integer
  from (select sub_id, 12 * (extract(year from now() at time zone 'UTC') - extract(year from starts_at at time zone 'UTC'))::integer
      + (extract(month from now() at time zone 'UTC') - extract(month from starts_at at time zone 'UTC'))::integer as months
    from subscriptions where starts_at <= now()) begun
  where begun.sub_id = s.sub_id and s.credited_periods = 0;
create index concurrently if not exists subscriptions_to_credit on subscriptions
  (((starts_at at time zone 'UTC') + make_interval(months => credited_periods))) where crediting;
create table if not exists subscription_days (
  day date not null,
  subscription_id text not null,
  model_calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  billed_credit_micros bigint not null,
  primary key (day, subscription_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create table if not exists service_days (
  day date not null,
  state text not null,
  turns bigint not null,
  billed_credit_micros bigint not null,
  primary key (day, state)
) with (fillfactor = 70);
-- The last days begin with the turns that had ended before the queue was there.
insert into service_days
  select (t.finished_at at time zone 'UTC')::date, t.state, count(*), sum(t.billed_credit_micros) from turns t
  where t.finished_at > now() - interval '31 days' and not t.test and not exists (select from service_days)
    and not exists (select from turn_ends e where e.turn_id = t.turn_id)
  group by 1, 2;
-- Admins who look at an account as its owner does, and the audit log by action and time.
create table if not exists acting_sessions (
  acting_id text primary key,
  user_id bigint not null references users,
  epoch integer not null,
  admin_user_id bigint not null references users,
  admin_session_id text not null references sessions,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz
);
create index concurrently if not exists acting_sessions_of_user on acting_sessions (user_id, expires_at) where ended_at is null;
create index concurrently if not exists audit_log_of_action on audit_log (action, audit_id desc);
create index concurrently if not exists audit_log_by_time on audit_log (created_at);
create index concurrently if not exists sessions_seen on sessions (last_seen_at) include (user_id);
create table if not exists overview_counts (
  one boolean primary key default true check (one),
  people bigint not null,
  active_1_day bigint not null,
  active_7_days bigint not null,
  active_30_days bigint not null,
  spaces bigint not null,
  balance_credit_micros bigint not null,
  held_credit_micros bigint not null,
  counted_at timestamptz not null
);
