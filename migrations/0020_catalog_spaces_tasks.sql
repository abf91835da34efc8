-- phase: before-deploy
-- transaction: none
-- What operators see and change of models, spaces and tasks.
alter table model_catalog
  add column if not exists context_tokens integer check (context_tokens > 0),
  add column if not exists version integer not null default 1,
  add column if not exists updated_at timestamptz,
  add column if not exists updated_by bigint references users;
update model_catalog set context_tokens = 200000 where pin = 'rehearsal/standard' and context_tokens is null;
create or replace function guard_enabled_model() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtext('model_catalog'), 0);
  if not exists (select from model_catalog where enabled) then
    raise exception 'no model would be enabled' using errcode = '23514';
  end if;
  return null;
end $$;
create or replace trigger model_catalog_keeps_one after update of enabled or delete on model_catalog
  for each statement execute function guard_enabled_model();
create table if not exists former_prices (
  pin text not null references model_catalog,
  price_version integer not null,
  price_input bigint not null,
  price_cached bigint not null,
  price_output bigint not null,
  price_cache_write bigint,
  until_at timestamptz not null,
  primary key (pin, price_version)
);

alter table turns add column if not exists price_version integer;
alter table turn_steps
  add column if not exists subagent text,
  add column if not exists model text,
  add column if not exists tokens_input bigint;
alter table tasks add column if not exists flow_place integer check (flow_place > 0);
create index concurrently if not exists tasks_of_assignee on tasks (assignee_user_id, task_id desc) where assignee_user_id is not null;
create index concurrently if not exists tasks_of_creator on tasks (creator_user_id, task_id desc) where creator_user_id is not null;
create index concurrently if not exists tasks_of_flow on tasks (space_id, end_user_ref, flow, flow_place) where flow is not null;

-- From the trigger on, every space that is made or changed has its chat_key and pin; the batch does the others.
alter table spaces
  add column if not exists chat_key text,
  add column if not exists pin text;
create or replace function derive_space() returns trigger language plpgsql as $$
begin
  new.chat_key := coalesce(new.chat_key, 'space:' || new.slug);
  new.pin := coalesce(new.manifest ->> 'model', new.model);
  return new;
end $$;
create or replace trigger spaces_derived before insert or update of chat_key, manifest, model on spaces
  for each row execute function derive_space();
create unique index concurrently if not exists spaces_of_chat on spaces (chat_key);
create index concurrently if not exists spaces_inventory on spaces (space_id)
  include (title, origin, brand, user_id, workspace_id, archived_at, created_at);
create index concurrently if not exists spaces_by_pin on spaces (test, pin) where archived_at is null;

-- batch
update spaces set chat_key = 'space:' || slug, origin = case when created_by_key_id is null then 'dashboard' else origin end
  where space_id in (select space_id from spaces where chat_key is null limit 200);

create table if not exists turn_ends (
  turn_id text not null,
  user_id bigint not null,
  space_id bigint not null,
  end_user_ref text not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  billed_credit_micros bigint not null,
  ended_at timestamptz not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
create table if not exists space_totals (
  space_id bigint primary key,
  turns bigint not null,
  billed_credit_micros bigint not null,
  last_ended_at timestamptz
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create table if not exists space_people (
  space_id bigint not null,
  user_id bigint not null,
  end_user_ref text not null,
  turns bigint not null,
  tokens_input bigint not null,
  tokens_cached bigint not null,
  tokens_output bigint not null,
  billed_credit_micros bigint not null,
  last_ended_at timestamptz not null,
  primary key (space_id, user_id, end_user_ref)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create table if not exists space_sessions (
  space_id bigint not null,
  agent text not null,
  model text not null,
  tokens_input bigint not null,
  turn_id text not null,
  step integer not null,
  called_at timestamptz not null,
  primary key (space_id, agent)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
create or replace function queue_turn_end() returns trigger language plpgsql as $$
begin
  insert into turn_ends (turn_id, user_id, space_id, end_user_ref, tokens_input, tokens_cached, tokens_output, billed_credit_micros,
      ended_at)
    values (new.turn_id, coalesce(new.member_id, new.user_id), new.space_id, new.end_user_ref, new.tokens_input, new.tokens_cached, new.tokens_output,
      new.billed_credit_micros, new.finished_at);
  return null;
end $$;
create or replace trigger turns_ended_queued after update on turns for each row
  when (old.finished_at is null and new.finished_at is not null) execute function queue_turn_end();

-- From the trigger on, every turn that ends is queued, and nobody takes from the queue before the deploy. A space begins with what its
-- turns say, without those of them that this statement finds in the queue.
-- batch
with due as (
  select s.space_id from spaces s where not exists (select from space_totals r where r.space_id = s.space_id)
  order by s.space_id limit 50
), queued as (
  delete from turn_ends e using due d where e.space_id = d.space_id
), people as (
  insert into space_people
  select t.space_id, coalesce(t.member_id, t.user_id), t.end_user_ref, count(*), sum(t.tokens_input), sum(t.tokens_cached), sum(t.tokens_output),
    sum(t.billed_credit_micros), max(t.finished_at)
  from due d join turns t on t.space_id = d.space_id where t.finished_at is not null group by 1, 2, 3
)
insert into space_totals
select d.space_id, count(t.turn_id), coalesce(sum(t.billed_credit_micros), 0), max(t.finished_at)
  from due d left join turns t on t.space_id = d.space_id and t.finished_at is not null group by 1;
