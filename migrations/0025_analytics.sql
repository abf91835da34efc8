-- phase: before-deploy
-- transaction: none
-- Rollups of usage and of the ledger, with their queues; what has ended before goes into the queues too.
create index concurrently if not exists usage_by_end on usage using brin (settled_at) with (pages_per_range = 64, autosummarize = on);
create index concurrently if not exists chat_calls_by_end on chat_calls using brin (settled_at) with (pages_per_range = 64, autosummarize = on);
create index concurrently if not exists turns_without_calls on turns (finished_at) include (user_id, space_id, model)
  where model_calls = 0 and finished_at is not null and not test;
create index concurrently if not exists ledger_by_time on ledger using brin (created_at) with (pages_per_range = 64, autosummarize = on);

create table if not exists usage_queue (
  ended_at timestamptz not null,
  user_id bigint not null,
  space_id bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  tokens_input_most bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  duration_us bigint not null,
  calls integer not null,
  keyed_calls integer not null,
  pictures integer not null,
  turns smallint not null,
  pooled boolean not null,
  provider_key text not null,
  role text not null,
  model text not null,
  turn_id text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create or replace function queue_usage() returns trigger language plpgsql as $$
begin
  if new.model_calls = 0 then
    insert into usage_queue (turn_id, ended_at, user_id, space_id, model, provider_key, pooled, role, turns, calls, keyed_calls, pictures,
        tokens_input, tokens_cached, tokens_output, tokens_input_most, cost_credit_micros, billed_credit_micros, duration_us)
      values (new.turn_id, new.finished_at, new.user_id, new.space_id, new.model, split_part(new.model, '/', 1), false, 'orchestrator',
        1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
  elsif new.key_id is not null then
    insert into usage_queue (turn_id, ended_at, user_id, space_id, model, provider_key, pooled, role, turns, calls, keyed_calls, pictures,
        tokens_input, tokens_cached, tokens_output, tokens_input_most, cost_credit_micros, billed_credit_micros, duration_us)
      select new.turn_id, new.finished_at, new.user_id, new.space_id, s.model, s.provider_key, s.pooled, s.role,
        (row_number() over (order by s.first_step, s.role) = 1)::integer, s.calls, s.calls, s.pictures,
        s.input, s.cached, s.output, s.most, s.cost, s.billed, s.duration_us
      from (select u.model, case when u.subscription_id !~ '^[0-9]+$' then u.subscription_id else u.provider end as provider_key,
          coalesce(u.subscription_id !~ '^[0-9]+$', false) as pooled, u.role, min(u.step * 2 + (u.call is not null)::integer) as first_step,
          count(*) as calls, count(u.call) as pictures, sum(u.tokens_input) as input,
          sum(u.tokens_cached) as cached, sum(u.tokens_output) as output, max(u.tokens_input) as most, sum(u.cost_credit_micros) as cost,
          sum(u.billed_credit_micros) as billed, sum((u.duration_sec * 1e6)::bigint) as duration_us
        from usage u where u.turn_id = new.turn_id group by 1, 2, 3, 4) s;
  else
    -- Workers of a former release settle no calls here, and those before them noted none: what is missing is one row.
    update chat_calls c set settled_at = new.finished_at,
        billed_credit_micros = case when new.billed_credit_micros > 0 then c.cost_credit_micros else 0 end
      where c.turn_id = new.turn_id and c.settled_at is null;
    insert into chat_calls (turn_id, step, user_id, space_id, conversation_id, test, provider, model, role, tokens_input, tokens_cached,
        tokens_cache_written, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at,
        calls)
      select new.turn_id, -1, new.user_id, new.space_id, new.conversation_id, false, split_part(new.model, '/', 1), new.model,
        'orchestrator', new.tokens_input - k.input, new.tokens_cached - k.cached, new.tokens_cache_written - k.cache_written,
        new.tokens_output - k.output, 0, coalesce(new.price_version, 0), new.cost_credit_micros - k.cost,
        new.billed_credit_micros - k.billed, new.finished_at, new.finished_at, new.model_calls - k.calls
      from (select count(*) as calls, coalesce(sum(c.tokens_input), 0) as input, coalesce(sum(c.tokens_cached), 0) as cached,
          coalesce(sum(c.tokens_cache_written), 0) as cache_written, coalesce(sum(c.tokens_output), 0) as output,
          coalesce(sum(c.cost_credit_micros), 0) as cost, coalesce(sum(c.billed_credit_micros), 0) as billed
        from chat_calls c where c.turn_id = new.turn_id) k
      where new.model_calls > k.calls;
    insert into usage_queue (turn_id, ended_at, user_id, space_id, model, provider_key, pooled, role, turns, calls, keyed_calls, pictures,
        tokens_input, tokens_cached, tokens_output, tokens_input_most, cost_credit_micros, billed_credit_micros, duration_us)
      select new.turn_id, new.finished_at, new.user_id, new.space_id, s.model, s.provider_key, s.pooled, s.role,
        (row_number() over (order by s.first_step, s.role) = 1)::integer, s.calls, 0, s.pictures,
        s.input, s.cached, s.output, s.most, s.cost, s.billed, 0
      from (select c.model, case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end as provider_key,
          coalesce(c.subscription_id !~ '^[0-9]+$', false) as pooled, c.role, min(c.step * 2 + (c.call is not null)::integer) as first_step,
          sum(c.calls) as calls, count(c.call) as pictures, sum(c.tokens_input) as input,
          sum(c.tokens_cached) as cached, sum(c.tokens_output) as output, max((c.tokens_input + c.calls - 1) / c.calls) as most, sum(c.cost_credit_micros) as cost,
          sum(c.billed_credit_micros) as billed
        from chat_calls c where c.turn_id = new.turn_id group by 1, 2, 3, 4) s;
  end if;
  return null;
end $$;
create or replace trigger turns_ended_used after update on turns for each row
  when (old.finished_at is null and new.finished_at is not null and not new.test) execute function queue_usage();

create table if not exists usage_hours (
  hour timestamptz not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  keyed_calls bigint not null,
  duration_us bigint not null,
  tokens_input_most bigint not null,
  primary key (hour)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists model_days (
  day date not null,
  model text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (day, model)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists provider_days (
  day date not null,
  provider_key text not null,
  pooled boolean not null,
  role text not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  pictures bigint not null,
  primary key (day, provider_key, pooled, role)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists space_hours (
  space_id bigint not null,
  hour timestamptz not null,
  turns bigint not null,
  calls bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (space_id, hour)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists space_days (
  day date not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  keyed_calls bigint not null,
  duration_us bigint not null,
  tokens_input_most bigint not null,
  pictures bigint not null,
  primary key (day, space_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists space_days_of_space on space_days (space_id, day);

create table if not exists user_days (
  day date not null,
  user_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  keyed_calls bigint not null,
  duration_us bigint not null,
  primary key (day, user_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists user_days_of_user on user_days (user_id, day);

create table if not exists provider_space_days (
  day date not null,
  provider_key text not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (day, provider_key, space_id)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists provider_space_days_of_space on provider_space_days (space_id, day);

create table if not exists space_sums (
  until date not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (until, space_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists space_sums_most on space_sums (billed_credit_micros desc, space_id) where until = 'infinity';

create table if not exists user_sums (
  until date not null,
  user_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (until, user_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists user_sums_most on user_sums (billed_credit_micros desc, user_id) where until = 'infinity';

create table if not exists provider_space_sums (
  until date not null,
  provider_key text not null,
  space_id bigint not null,
  turns bigint not null,
  calls bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  cost_credit_micros bigint not null,
  billed_credit_micros bigint not null,
  primary key (until, provider_key, space_id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists provider_space_sums_of_space on provider_space_sums (until, space_id);

create table if not exists usage_marks (
  until date primary key
);

create table if not exists ledger_queue (
  ledger_id bigint not null,
  user_id bigint not null,
  amount_credit_micros bigint,
  balance_after_credit_micros bigint not null,
  created_at timestamptz not null,
  reason text not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create or replace function queue_ledger() returns trigger language plpgsql as $$
begin
  insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
    select b.ledger_id, b.user_id, b.amount_credit_micros, b.balance_after_credit_micros, b.created_at, b.reason from booked b;
  return null;
end $$;
create or replace trigger ledger_queued after insert on ledger referencing new table as booked
  for each statement execute function queue_ledger();

create table if not exists ledger_days (
  day date not null,
  reason text not null,
  entries bigint not null,
  given_credit_micros bigint not null,
  taken_credit_micros bigint not null,
  primary key (day, reason)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists ledger_user_days (
  user_id bigint not null,
  day date not null,
  ledger_id bigint not null,
  balance_after_credit_micros bigint not null,
  debits bigint not null,
  primary key (user_id, day)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.05);
create index if not exists ledger_user_days_active on ledger_user_days (day, user_id) where debits > 0;

create table if not exists ledger_users (
  user_id bigint primary key,
  ledger_id bigint not null,
  balance_after_credit_micros bigint not null,
  debited_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

create table if not exists balance_days (
  day date not null,
  window_days smallint not null,
  accounts bigint not null,
  balance_credit_micros bigint not null,
  median_twice bigint not null,
  primary key (day, window_days)
);

create table if not exists error_days (
  day date not null,
  kind text not null,
  failures bigint not null,
  primary key (day, kind)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

create or replace function count_errors() returns trigger language plpgsql as $$
begin
  insert into error_days as d (day, kind, failures)
    select (n.created_at at time zone 'UTC')::date, n.kind, case tg_op when 'INSERT' then count(*) else -count(*) end
    from noted n group by 1, 2 order by 1, 2
    on conflict (day, kind) do update set failures = d.failures + excluded.failures;
  return null;
end $$;
-- With the triggers, whose lock lets nobody note a failure meanwhile, so each is counted once.
do $$ begin
  if exists (select from pg_trigger t where t.tgname = 'infrastructure_errors_counted') then
    return;
  end if;
  create trigger infrastructure_errors_counted after insert on infrastructure_errors referencing new table as noted
    for each statement execute function count_errors();
  create trigger infrastructure_errors_forgotten after delete on infrastructure_errors referencing old table as noted
    for each statement execute function count_errors();
  insert into error_days (day, kind, failures)
    select (x.created_at at time zone 'UTC')::date, x.kind, count(*) from infrastructure_errors x group by 1, 2;
end $$;

-- From the triggers on, every turn that ends and every row that is booked is queued, and nobody takes from the queues before the deploy.
-- So what has ended and is not queued, as one snapshot sees both, had ended before.
create table if not exists analytics_fill (name text primary key, position text not null);
insert into analytics_fill values ('turns', ''), ('ledger', '0') on conflict do nothing;
create index if not exists usage_queue_filled on usage_queue (turn_id);
create index if not exists ledger_queue_filled on ledger_queue (ledger_id);
analyze usage_queue, ledger_queue;

-- batch
with due as materialized (
  select t.* from turns t where t.turn_id > (select f.position from analytics_fill f where f.name = 'turns') order by t.turn_id limit 1000
), ended as materialized (
  select d.* from due d where d.finished_at is not null and not d.test
    and not exists (select from usage_queue q where q.turn_id = d.turn_id)
), known as (
  update chat_calls c set settled_at = e.finished_at,
      billed_credit_micros = case when e.billed_credit_micros > 0 then c.cost_credit_micros else 0 end
    from ended e where e.key_id is null and c.turn_id = e.turn_id returning c.*
), made as (
  insert into chat_calls (turn_id, step, user_id, space_id, conversation_id, test, provider, model, role, tokens_input, tokens_cached,
    tokens_cache_written, tokens_output, duration_sec, price_version, cost_credit_micros, billed_credit_micros, created_at, settled_at,
    calls)
  select e.turn_id, -1, e.user_id, e.space_id, e.conversation_id, false, split_part(e.model, '/', 1), e.model, 'orchestrator',
    e.tokens_input - k.input, e.tokens_cached - k.cached, e.tokens_cache_written - k.cache_written, e.tokens_output - k.output, 0,
    coalesce(e.price_version, 0), e.cost_credit_micros - k.cost, e.billed_credit_micros - k.billed, e.finished_at, e.finished_at,
    e.model_calls - k.calls
  from ended e, lateral (select coalesce(sum(c.calls), 0) as calls, coalesce(sum(c.tokens_input), 0) as input,
      coalesce(sum(c.tokens_cached), 0) as cached, coalesce(sum(c.tokens_cache_written), 0) as cache_written,
      coalesce(sum(c.tokens_output), 0) as output, coalesce(sum(c.cost_credit_micros), 0) as cost,
      coalesce(sum(c.billed_credit_micros), 0) as billed from known c where c.turn_id = e.turn_id) k
  where e.key_id is null and e.model_calls > k.calls
  returning *
), called as (
  select u.turn_id, u.step, u.call, u.model, u.subscription_id, u.provider, u.role, u.tokens_input, u.tokens_cached, u.tokens_output,
    u.cost_credit_micros, u.billed_credit_micros, (u.duration_sec * 1e6)::bigint as duration_us, 1 as calls, 1 as keyed_calls
  from ended e join usage u on u.turn_id = e.turn_id where e.key_id is not null
  union all select c.turn_id, c.step, c.call, c.model, c.subscription_id, c.provider, c.role, c.tokens_input, c.tokens_cached, c.tokens_output,
    c.cost_credit_micros, c.billed_credit_micros, 0, c.calls, 0
  from (select * from known union all select * from made) c
  union all select e.turn_id, 0, null::integer, e.model, null, split_part(e.model, '/', 1), 'orchestrator', 0, 0, 0, 0, 0, 0, 0, 0
  from ended e where e.model_calls = 0
), summed as (
  select c.turn_id, c.model, case when c.subscription_id !~ '^[0-9]+$' then c.subscription_id else c.provider end as provider_key,
    coalesce(c.subscription_id !~ '^[0-9]+$', false) as pooled, c.role,
    min(c.step * 2 + (c.call is not null)::integer) as first_step, sum(c.calls) as calls, sum(c.keyed_calls) as keyed_calls,
    count(c.call) as pictures,
    sum(c.tokens_input) as input, sum(c.tokens_cached) as cached, sum(c.tokens_output) as output,
    max((c.tokens_input + greatest(c.calls, 1) - 1) / greatest(c.calls, 1)) as most, sum(c.cost_credit_micros) as cost,
    sum(c.billed_credit_micros) as billed, sum(c.duration_us) as duration_us
  from called c group by 1, 2, 3, 4, 5
), queued as (
  insert into usage_queue (turn_id, ended_at, user_id, space_id, model, provider_key, pooled, role, turns, calls, keyed_calls, pictures,
    tokens_input, tokens_cached, tokens_output, tokens_input_most, cost_credit_micros, billed_credit_micros, duration_us)
  select e.turn_id, e.finished_at, e.user_id, e.space_id, s.model, s.provider_key, s.pooled, s.role,
    (row_number() over (partition by e.turn_id order by s.first_step, s.role) = 1)::integer,
    s.calls, s.keyed_calls, s.pictures, s.input, s.cached, s.output, s.most, s.cost, s.billed, s.duration_us
  from summed s join ended e on e.turn_id = s.turn_id
)
update analytics_fill f set position = (select max(d.turn_id) from due d) where f.name = 'turns' and exists (select from due);

-- batch
with due as materialized (
  select l.* from ledger l where l.ledger_id > (select f.position::bigint from analytics_fill f where f.name = 'ledger')
  order by l.ledger_id limit 5000
), queued as (
  insert into ledger_queue (ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason)
  select d.ledger_id, d.user_id, d.amount_credit_micros, d.balance_after_credit_micros, d.created_at, d.reason
  from due d where not exists (select from ledger_queue q where q.ledger_id = d.ledger_id)
)
update analytics_fill f set position = (select max(d.ledger_id)::text from due d) where f.name = 'ledger' and exists (select from due);
drop index if exists usage_queue_filled, ledger_queue_filled;
drop table if exists analytics_fill;
