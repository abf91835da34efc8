import { afterAll, beforeAll, expect, test } from "vitest"
import { type Migration, parseMigration, readMigrations, splitStatements } from "../../src/ops/migration-files.ts"
import { describeMigrated, migrate } from "../../src/ops/migrations.ts"
import { OLD_SCHEMA, type Server, startServer } from "../harness/databases.ts"

let server: Server

beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const noPause = async () => {}

/** A new database, and the files that it was made of with more behind them: [phase and transaction, text] each. */
async function world(...further: [string, string][]) {
  const { client, url } = await server.create()
  const own = await readMigrations()
  await migrate(client, { phase: "after-deploy", migrations: own })
  const added = further.map(([header, text], index) => parseMigration(`${9001 + index}_test.sql`, `${header}\n${text}`))
  return { client, url, migrations: [...own, ...added] }
}

const BEFORE = "-- phase: before-deploy"
const AFTER = "-- phase: after-deploy"
const ALONE = `${BEFORE}\n-- transaction: none`

async function namesIn(client: Awaited<ReturnType<typeof world>>["client"]): Promise<string[]> {
  const { rows } = await client.query("select name from schema_migrations where name ~ '^9' order by name")
  return rows.map(({ name }) => name)
}

test("all are applied once, in order; another run does nothing", async () => {
  const steps: [string, string][] = [
    [BEFORE, "create table made (id bigint)"],
    [BEFORE, "alter table made add column text text"],
  ]
  const { client, migrations } = await world(...steps)
  const log: string[] = []
  const options = { phase: "before-deploy", migrations, log: (line: string) => log.push(line) } as const
  expect(await migrate(client, options)).toEqual({ applied: ["9001_test", "9002_test"], waiting: [] })
  const { rows } = await client.query("select * from schema_migrations order by name")
  expect(await migrate(client, options)).toEqual({ applied: [], waiting: [] })
  expect((await client.query("select * from schema_migrations order by name")).rows).toEqual(rows)
  expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  expect(rows.at(-1)).toEqual({
    name: "9002_test",
    checksum: migrations.at(-1)?.checksum,
    applied_at: expect.any(Date),
    duration_ms: expect.any(Number),
  })
  expect(log.map((line) => line.replace(/\d+ ms/, "… ms"))).toEqual([
    "9001_test applied in … ms",
    "9002_test applied in … ms",
  ])
  // The session is as it was before.
  const { rows: settings } = await client.query(
    "select current_setting('lock_timeout') as lock, current_setting('search_path') as path",
  )
  expect(settings).toEqual([{ lock: "0", path: '"$user", public' }])
})

test("before a deploy, a run stops in front of what is for after it", async () => {
  const { client, migrations } = await world(
    [BEFORE, "create table one ()"],
    [AFTER, "drop table one"],
    [BEFORE, "create table three ()"],
  )
  const first = await migrate(client, { phase: "before-deploy", migrations })
  expect(first.applied).toEqual(["9001_test"])
  expect(first.waiting.map(({ name }) => name)).toEqual(["9002_test", "9003_test"])
  expect(describeMigrated(first)).toEqual({
    text: [
      "Applied: 1.",
      "9002_test waits: it is for after the deploy. When no worker of the release before it runs any more, apply it with",
      "  npm run admin -- migrate --after-deploy",
      "Do not deploy before that: 9003_test, which this release needs, comes behind it.",
    ].join("\n"),
    isBlocked: true,
  })
  const last = { applied: [], waiting: first.waiting.slice(0, 1) }
  expect(describeMigrated(last)).toMatchObject({ isBlocked: false })
  expect(await migrate(client, { phase: "before-deploy", migrations })).toMatchObject({ applied: [] })
  const second = await migrate(client, { phase: "after-deploy", migrations })
  expect(second).toEqual({ applied: ["9002_test", "9003_test"], waiting: [] })
})

test("a file that fails changes nothing, and those before it stay", async () => {
  const { client, migrations } = await world(
    [BEFORE, "create table one ()"],
    [BEFORE, "create table two (); insert into wallets (user_id) values (77)"],
  )
  await expect(migrate(client, { phase: "before-deploy", migrations })).rejects.toThrow("violates foreign key")
  expect(await namesIn(client)).toEqual(["9001_test"])
  const mended = [...migrations.slice(0, -1), parseMigration("9002_test.sql", `${BEFORE}\ncreate table two ()`)]
  expect(await migrate(client, { phase: "before-deploy", migrations: mended })).toMatchObject({
    applied: ["9002_test"],
  })
})

test("an applied file that was changed, and one that came late, are refused", async () => {
  const { client, migrations } = await world([BEFORE, "create table one ()"], [BEFORE, "create table two ()"])
  const refusal = (some: Migration[]) =>
    migrate(client, { phase: "before-deploy", migrations: some }).catch((error: Error) => error.message)
  await migrate(client, { phase: "before-deploy", migrations })
  const changed = [...migrations.slice(0, -1), parseMigration("9002_test.sql", `${BEFORE}\ncreate table other ()`)]
  expect(await refusal(changed)).toMatch(/^migrations\/9002_test\.sql was changed after it was applied/)
  const late = [
    ...migrations.slice(0, -1),
    parseMigration("9001_zlate.sql", `${BEFORE}\nselect 1`),
    ...migrations.slice(-1),
  ]
  expect(await refusal(late)).toMatch(/^9001_zlate came after 9002_test was applied/)
  // A release that is older than its database has nothing to do.
  expect(await migrate(client, { phase: "before-deploy", migrations: migrations.slice(0, -1) })).toEqual({
    applied: [],
    waiting: [],
  })
})

test("of two runs at once one waits, and nothing is applied twice", async () => {
  const { migrations } = await world(
    [BEFORE, "create table one ()"],
    [ALONE, "create index concurrently made on one ((1));"],
  )
  for (const start of [[], [OLD_SCHEMA]]) {
    const { client, url } = await server.create(...start)
    const other = await server.connect(url)
    const log: string[] = []
    const runs: Promise<unknown>[] = []
    const options = {
      phase: "after-deploy",
      migrations,
      log: (line: string) => log.push(line),
      // The one that waits looks again when the other has ended.
      pause: () => Promise.race(runs).then(() => {}),
    } as const
    const both = [migrate(client, options), migrate(other, options)]
    runs.push(...both)
    const applied = (await Promise.all(both)).flatMap((run) => run.applied)
    expect(new Set(applied).size).toBe(applied.length)
    expect(applied.slice(-2)).toEqual(start.length ? ["9001_test", "9002_test"] : applied.slice(-2))
    expect(log).toContain("Another run is applying migrations to this database: waiting for its end.")
    const { rows } = await client.query("select name from schema_migrations order by name")
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  }
})

test("a lock that others have is asked for again, each time for a moment only", async () => {
  const { client, url, migrations } = await world([BEFORE, "alter table users add column nickname text"])
  const reader = await server.connect(url)
  await reader.query("begin; select from users")
  const pauses: number[] = []
  const log: string[] = []
  const { applied } = await migrate(client, {
    phase: "before-deploy",
    migrations,
    log: (line) => log.push(line),
    async pause(ms) {
      if (pauses.push(ms) === 3) await reader.query("commit")
    },
  })
  expect(applied).toEqual(["9001_test"])
  expect(pauses).toEqual([250, 500, 1000])
  expect(log.slice(0, -1)).toEqual(
    pauses.map((ms) => `9001_test: canceling statement due to lock timeout; again in ${ms} ms`),
  )
})

test("a lock that is never given ends the run, which can be repeated", async () => {
  const { client, url, migrations } = await world(
    [ALONE, "alter table users add column if not exists nickname text; update users set nickname = '';"],
    [BEFORE, "alter table users add column other text"],
  )
  const reader = await server.connect(url)
  await reader.query("begin; select from users")
  const options = { phase: "before-deploy", migrations, pause: noPause } as const
  await expect(migrate(client, { ...options, patienceMs: 0 })).rejects.toThrow(
    "alter table users add column if not exists nickname text: others have held its lock for 0 s",
  )
  expect(await namesIn(client)).toEqual([])
  await reader.query("commit")
  expect(await migrate(client, options)).toMatchObject({ applied: ["9001_test", "9002_test"] })
})

test("a runner that is killed in the middle of a concurrent index leaves what the next one mends", async () => {
  const { client, url, migrations } = await world([
    ALONE,
    "create index concurrently users_by_name on users (name);\ncreate unique index concurrently users_one_name on users (name);",
  ])
  const [reader, watcher, next] = [await server.connect(url), await server.connect(url), await server.connect(url)]
  await reader.query("begin isolation level repeatable read; select from users")
  const options = { phase: "before-deploy", migrations, pause: noPause } as const
  const killed = migrate(client, options).then(
    () => "ended",
    () => "killed",
  )
  // It waits for the transaction of the reader.
  for (let ended = false; !ended; ) {
    const { rows } = await watcher.query(
      `select pg_terminate_backend(pid) as ended from pg_stat_activity
       where datname = current_database() and query like '%create index%' and pid <> pg_backend_pid() and wait_event_type = 'Lock'`,
    )
    ended = rows.length > 0
  }
  expect(await killed).toBe("killed")
  const invalid = "select indexrelid::regclass::text as name from pg_index where not indisvalid"
  expect((await watcher.query(invalid)).rows).toEqual([{ name: "users_by_name" }])
  await reader.query("commit")
  expect(await migrate(next, options)).toMatchObject({ applied: ["9001_test"] })
  expect((await watcher.query(invalid)).rows).toEqual([])
  const { rows } = await watcher.query(
    "select count(*)::integer as made from pg_indexes where indexname ~ '^users_(by|one)_name$'",
  )
  expect(rows).toEqual([{ made: 2 }])
})

test("a concurrent index outlasts a transaction that is open for longer than the lock timeout", async () => {
  const { client, url, migrations } = await world([ALONE, "create index concurrently users_by_name on users (name);"])
  const [reader, watcher] = [await server.connect(url), await server.connect(url)]
  await reader.query("begin isolation level repeatable read; select from users")
  const run = migrate(client, { phase: "before-deploy", migrations, pause: noPause })
  for (let waited = 0; waited < 1; ) {
    const { rows } = await watcher.query(
      `select 1 from pg_stat_activity where datname = current_database() and query like '%create index%' and pid <> pg_backend_pid()
         and wait_event_type = 'Lock' and clock_timestamp() > query_start + interval '1 second'`,
    )
    waited = rows.length
  }
  await reader.query("commit")
  expect(await run).toMatchObject({ applied: ["9001_test"] })
})

test("a batch is repeated until it changes nothing, and goes on where it was ended", async () => {
  const fill = `create table if not exists filled (id bigint primary key, twice bigint);
    insert into filled select n, null from generate_series(1, 2500) n on conflict do nothing;
-- Each thousand is a transaction of its own.
-- batch
update filled set twice = 2 * id where id in (select id from filled where twice is null order by id limit 1000);`
  const { client, migrations } = await world([ALONE, fill])
  const left = async () =>
    (await client.query("select count(*)::integer as n from filled where twice is null")).rows[0].n
  const ended = migrate(client, {
    phase: "before-deploy",
    migrations,
    pause: () => Promise.reject(new Error("ended")),
  })
  await expect(ended).rejects.toThrow("ended")
  expect(await left()).toBe(1500)
  expect(await namesIn(client)).toEqual([])
  const log: string[] = []
  await migrate(client, { phase: "before-deploy", migrations, pause: noPause, log: (line) => log.push(line) })
  expect(await left()).toBe(0)
  expect(log[0]).toMatch(/^update filled .*: 1500 rows$/)
})

test("a file says what it is, or is refused", () => {
  expect(parseMigration("0002_a.sql", `${AFTER}\nselect 1`)).toMatchObject({ phase: "after-deploy", statements: null })
  expect(parseMigration("0002_a.sql", `${ALONE}\nselect 1;`).statements).toEqual([`${ALONE}\nselect 1`])
  expect(() => parseMigration("2_a.sql", `${BEFORE}\n`)).toThrow("is not named like")
  expect(() => parseMigration("0002_a.sql", "select 1")).toThrow("does not begin with")
  expect(() => parseMigration("0002_a.sql", `${BEFORE}\n-- batch\nupdate x set y = 1;`)).toThrow("has a batch")
  expect(() => parseMigration("0002_a.sql", `${ALONE}\nselect 1`)).toThrow("no semicolon")
  const unix = parseMigration("0002_a.sql", `${BEFORE}\nselect 1`)
  expect(parseMigration("0002_a.sql", `${BEFORE}\r\nselect 1`).checksum).toBe(unix.checksum)
})

test("statements are told apart whatever stands in their quotes and comments", () => {
  const statements = [
    "-- one; two\nselect 'a;''b;' as \"c;\"",
    "/* ; */ create function f() returns text language sql as $$ select ';' $$",
    "do $body$ begin perform $$;$$; end $body$",
    "",
  ]
  expect(splitStatements(`${statements.join(";")} -- the end; really`)).toEqual(statements.slice(0, -1))
})
