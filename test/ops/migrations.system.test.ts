import { afterAll, beforeAll, expect, test } from "vitest"
import { type Migration, parseMigration, readMigrations } from "../../src/ops/migration-files.ts"
import { describeMigrated, migrate } from "../../src/ops/migrations.ts"
import { type Server, startServer } from "../harness/databases.ts"

let server: Server
let template: string
let own: Migration[]

beforeAll(async () => {
  server = await startServer()
  own = await readMigrations()
  const { client, name } = await server.create()
  await migrate(client, { phase: "after-deploy", migrations: own })
  await client.end()
  template = name
})
afterAll(() => server.close())

const noPause = async () => {}

/** A new database with the original files and these further files, each as [phase and transaction, text]. */
async function world(...further: [string, string][]) {
  const { client, url } = await server.copy(template)
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

test("Migrations are applied once and in order, and another run does nothing", async () => {
  const steps: [string, string][] = [
    [BEFORE, "create table made (id bigint)"],
    [BEFORE, "alter table made add column text text"],
  ]
  const { client, migrations } = await world(...steps)
  const readSettings = async () =>
    (await client.query("select current_setting('lock_timeout') as lock, current_setting('search_path') as path")).rows
  const settings = await readSettings()
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
  // The session has its earlier settings again.
  expect(await readSettings()).toEqual(settings)
})

test("A run before the deploy stops at the first migration that must run after it", async () => {
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
      "9002_test must be applied after the deploy. When no worker of the previous release runs any more, apply it with",
      "  npm run admin -- migrate --after-deploy",
      "Do not deploy before that, because this release needs 9003_test, which comes after it.",
    ].join("\n"),
    isBlocked: true,
  })
  const last = { applied: [], waiting: first.waiting.slice(0, 1) }
  expect(describeMigrated(last)).toMatchObject({ isBlocked: false })
  expect(await migrate(client, { phase: "before-deploy", migrations })).toMatchObject({ applied: [] })
  const second = await migrate(client, { phase: "after-deploy", migrations })
  expect(second).toEqual({ applied: ["9002_test", "9003_test"], waiting: [] })
})

test("An empty database gets the migrations of both phases at once", async () => {
  const { migrations } = await world(
    [BEFORE, "create table one ()"],
    [AFTER, "drop table one"],
    [BEFORE, "create table two ()"],
  )
  const { client } = await server.create()
  const { applied, waiting } = await migrate(client, { phase: "before-deploy", migrations })
  expect(applied).toEqual(migrations.map(({ name }) => name))
  expect(waiting).toEqual([])
})

test("A database with tables that no migration made is refused and stays unchanged", async () => {
  const { client } = await server.create("create table users (user_id bigint)")
  await expect(migrate(client, { phase: "after-deploy" })).rejects.toThrow(
    "The database has tables (users) but no record of migrations",
  )
  const { rows } = await client.query("select tablename as name from pg_tables where schemaname = 'public'")
  expect(rows).toEqual([{ name: "users" }])
})

test("A file that fails changes nothing, and the files before it stay applied", async () => {
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

test("A run refuses an applied file that was changed, and a file that was added before an applied one", async () => {
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
  expect(await refusal(late)).toMatch(/^9001_zlate was added after 9002_test was applied/)
  // After a rollback, an earlier release has no migrations to apply.
  expect(await migrate(client, { phase: "before-deploy", migrations: migrations.slice(0, -1) })).toEqual({
    applied: [],
    waiting: [],
  })
})

test("Of two concurrent runs one waits, and no file is applied twice", async () => {
  const { migrations } = await world(
    [BEFORE, "create table one ()"],
    [ALONE, "create index concurrently made on one ((1));"],
  )
  for (const isEmpty of [true, false]) {
    const { client, url } = await (isEmpty ? server.create() : server.copy(template))
    const [other, holder] = [await server.connect(url), await server.connect(url)]
    // Both runs find the lock taken, so that the second one to get it has waited for the first one.
    await holder.query("select pg_advisory_lock(hashtext('schema_migrations'))")
    const gate = Promise.withResolvers<void>()
    let isHeld = true
    const log: string[] = []
    const runs: Promise<unknown>[] = []
    const options = {
      phase: "after-deploy",
      migrations,
      log: (line: string) => log.push(line),
      // The waiting run checks again after the other one has ended.
      pause: () => (isHeld ? gate.promise : Promise.race(runs).then(() => {})),
    } as const
    const both = [migrate(client, options), migrate(other, options)]
    runs.push(...both)
    const waiting = "Another run is applying migrations to this database. Waiting for its end."
    await expect.poll(() => log.filter((line) => line === waiting).length).toBe(2)
    await holder.query("select pg_advisory_unlock(hashtext('schema_migrations'))")
    isHeld = false
    gate.resolve()
    const applied = (await Promise.all(both)).flatMap((run) => run.applied)
    const missing = isEmpty ? migrations : migrations.slice(own.length)
    expect(applied).toEqual(missing.map(({ name }) => name))
    const { rows } = await client.query("select name from schema_migrations order by name")
    expect(rows.map(({ name }) => name)).toEqual(migrations.map(({ name }) => name))
  }
})

test("A run retries a lock that another session holds, each time for a short moment only", async () => {
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
    pauses.map((ms) => `9001_test: canceling statement due to lock timeout; trying again in ${ms} ms`),
  )
})

test("A lock that is never released ends the run, which can be repeated", async () => {
  const { client, url, migrations } = await world(
    [ALONE, "alter table users add column if not exists nickname text; update users set nickname = '';"],
    [BEFORE, "alter table users add column other text"],
  )
  const reader = await server.connect(url)
  await reader.query("begin; select from users")
  const options = { phase: "before-deploy", migrations, pause: noPause } as const
  await expect(migrate(client, { ...options, patienceMs: 0 })).rejects.toThrow(
    "alter table users add column if not exists nickname text: other sessions have held the lock for 0 s",
  )
  expect(await namesIn(client)).toEqual([])
  await reader.query("commit")
  expect(await migrate(client, options)).toMatchObject({ applied: ["9001_test", "9002_test"] })
})

test("A run that is killed during the creation of a concurrent index leaves an invalid index, which the next run replaces", async () => {
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
  // The index waits for the reader's transaction.
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

test("A concurrent index waits for a transaction that is open for longer than the lock timeout", async () => {
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

test("A batch is repeated until it changes no rows, and continues where it was interrupted", async () => {
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
