import { afterAll, beforeAll, expect, test } from "vitest"
import { compareCatalogs, describeDifference } from "../../src/ops/catalog.ts"
import { readMigrations } from "../../src/ops/migration-files.ts"
import { migrate } from "../../src/ops/migrations.ts"
import { catalogOf, OLD_ROWS, OLD_SCHEMA, rowsOf, type Server, startServer } from "../harness/databases.ts"

let server: Server

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

/** What databases were found to differ in whose schema was applied again version after version, and more of each kind. */
const REPAIRABLE = `
  alter table files drop column place;
  alter table turns drop column outputs;
  drop table webhook_attempts, webhook_deliveries;
  alter table wallets add column last_hold_credit_micros bigint;
  alter table turns alter column model_calls drop default, alter column tool_calls set default 7, alter column attempts drop not null;
  update turns set result = '' where result is null;
  alter table turns alter column result set not null;

  alter table api_keys drop constraint api_keys_check;
  alter table api_keys add constraint api_keys_window_seconds_check check (window_seconds > 0);
  alter table webhook_endpoints drop constraint webhook_endpoints_disabled_reason_check;
  alter table webhook_endpoints add constraint webhook_endpoints_disabled_reason_check check (disabled_reason in ('customer', 'gone'));
  alter table events add constraint events_user_id_fkey foreign key (user_id) references users;
  alter table tasks drop constraint tasks_turn_id_fkey, drop constraint tasks_call_key_key, drop constraint tasks_pkey;
  alter table tasks add constraint tasks_turn_id_fkey foreign key (turn_id) references turns not valid;

  drop index turns_queued;
  drop index conversations_by_activity;
  create index conversations_by_activity on conversations (user_id, test, last_turn_at desc, conversation_id desc);
  create index turns_by_owner on turns (user_id);
  update pg_index set indisvalid = false where indexrelid = 'turns_to_wake'::regclass;

  create or replace function id_time(moment timestamptz) returns text language sql immutable as 'select ''old''';
  drop function take_hold;
  create function take_hold(of_user bigint) returns bigint language sql as 'select of_user';
  drop function repair_held;
  create function repair_held(of_user bigint) returns integer language sql as 'select 1';
  drop trigger turns_transition on turns;
  drop trigger wallets_follow_balance on wallets;
  create trigger wallets_follow_balance after update on wallets for each row execute function follow_balance();
  alter table ledger disable trigger ledger_append_only;

  alter table space_configs disable trigger space_configs_append_only;
  delete from space_configs where version = 2;
  alter table space_configs enable trigger space_configs_append_only;
  update usage set settled_at = null;
  update conversations set user_id = null, test = null, last_turn_at = null;
  delete from model_catalog where pin = 'rehearsal/standard';

  create table of_the_operator (id bigint);
  create view turns_of_today as select turn_id from turns;
  create function of_the_operator() returns integer language sql as 'select 1';
  alter table turns set (autovacuum_vacuum_scale_factor = 0.01);
  comment on column turns.state is 'of the operator';`

const OF_THE_OPERATOR = /of_the_operator|turns_of_today|autovacuum_vacuum_scale_factor|comment turns\.state/

test("a database that differs from the first one is brought there, with its rows and what its operator has added", async () => {
  const [baseline] = await readMigrations()
  const { client: old } = await server.create(OLD_SCHEMA, OLD_ROWS)
  const before = await rowsOf(old)
  const { client } = await server.create(OLD_SCHEMA, OLD_ROWS)
  await client.query(REPAIRABLE)
  const log: string[] = []
  await migrate(client, { phase: "after-deploy", migrations: [baseline as never], log: (line) => log.push(line) })

  const left = compareCatalogs(await catalogOf(old), await catalogOf(client)).map(describeDifference)
  expect(left.filter((line) => !OF_THE_OPERATOR.test(line) && !line.includes("schema_migrations"))).toEqual([])
  expect(left.filter((line) => OF_THE_OPERATOR.test(line))).toHaveLength(6)
  expect(log).toContainEqual(expect.stringMatching(/^ {2}column files\.place is missing: repairing$/))

  const after = await rowsOf(client)
  expect(after.usage).toEqual(before.usage)
  expect(after.space_configs).toEqual(before.space_configs)
  expect(after.model_catalog?.map(({ pin }) => pin)).toEqual(before.model_catalog?.map(({ pin }) => pin))
  expect(after.conversations).toEqual(before.conversations)
  expect(after.tasks).toEqual(before.tasks)
  expect(after.turns?.map(({ outputs }) => JSON.stringify(outputs))).toEqual(after.turns?.map(() => "[]"))
})

test("what cannot be repaired is named, each of it, and nothing is done", async () => {
  const { client } = await server.create(
    ...[OLD_SCHEMA, OLD_ROWS],
    `alter table files drop column place;
     alter table sessions drop column expires_at;
     alter table turns alter column model type varchar(100);
     alter table users add column nickname text;
     alter table users add constraint users_of_the_operator check (user_id < 1000);
     create trigger of_the_operator before insert on tasks for each row execute function guard_append_only();
     create index of_the_operator on users (created_at)`,
  )
  const before = await catalogOf(client)
  const refused = await migrate(client, { phase: "before-deploy" }).catch((error: Error) => error.message)
  expect(String(refused).split("\n").slice(1)).toEqual([
    "  column sessions.expires_at is missing",
    '  column turns.model is "character varying(100) not null", not "text not null"',
    "  column users.nickname should not be there",
    "  constraint users.users_of_the_operator should not be there",
    "  index users.of_the_operator should not be there",
    "  trigger tasks.of_the_operator should not be there",
  ])
  expect(compareCatalogs(before, await catalogOf(client))).toEqual([])
})

test("a repair that the rows do not allow can be repeated when they do", async () => {
  const { client } = await server.create(
    ...[OLD_SCHEMA, OLD_ROWS],
    `alter table files drop column place;
     alter table tasks alter column title drop not null;
     update tasks set title = null`,
  )
  await expect(migrate(client, { phase: "before-deploy" })).rejects.toThrow("is violated by some row")
  expect((await client.query("select to_regclass('schema_migrations') as made")).rows).toEqual([{ made: null }])
  await client.query("update tasks set title = ''")
  await migrate(client, { phase: "after-deploy" })
  const { client: fresh } = await server.create()
  await migrate(fresh, { phase: "after-deploy" })
  expect(compareCatalogs(await catalogOf(fresh), await catalogOf(client)).map(describeDifference)).toEqual([])
})

test("an older version's database, without most tables, gets them", async () => {
  const { client } = await server.create(`
    create table users (user_id bigint generated always as identity primary key, email text, created_at timestamptz not null default now());
    create table wallets (user_id bigint primary key references users, balance_credit_micros bigint not null default 0);
    create table turns (turn_id text primary key);
    insert into users (email) values ('ada@acme.test');
    insert into wallets values (1, 5)`)
  const { client: fresh } = await server.create()
  await migrate(fresh, { phase: "after-deploy" })
  await migrate(client, { phase: "after-deploy" })
  expect(compareCatalogs(await catalogOf(fresh), await catalogOf(client)).map(describeDifference)).toEqual([])
  const { wallets, users } = await rowsOf(client)
  expect(wallets).toMatchObject([{ user_id: 1, balance_credit_micros: 5, held_credit_micros: 0 }])
  expect(users).toMatchObject([
    { email: "ada@acme.test", role: "user", ref_code: expect.stringMatching(/^[0-9a-f]{16}$/) },
  ])
})
