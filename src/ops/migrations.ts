import type pg from "pg"
import { adoptDatabase } from "./adopt-database.ts"
import { setDatabaseSettings } from "./database-settings.ts"
import { type Migration, type MigrationPhase, readMigrations, readSchema } from "./migration-files.ts"
import { LOCK_TIMEOUT_MS, type Patience, retryLocks, runStatement } from "./run-statement.ts"

export interface MigrateOptions {
  /** How far to go: "before-deploy" stops before the first after-deploy migration that is pending. */
  phase: MigrationPhase
  log?: (line: string) => void
  /** Default: those of migrations/. */
  migrations?: Migration[]
  pause?: (ms: number) => Promise<void>
  /** For how long the lock of one migration is asked for, in milliseconds. Default: two minutes. */
  patienceMs?: number
}

export interface Migrated {
  applied: string[]
  /** The migrations still pending: an after-deploy migration, and all after it. */
  waiting: Migration[]
}

const PATIENCE_MS = 120_000
const OTHER_RUN_PATIENCE_S = 600
const LOCK = "hashtext('schema_migrations')"

/** As in schema.sql. */
const CREATE_TABLE = `create table if not exists schema_migrations (
  name text primary key,
  checksum text not null,
  applied_at timestamptz not null default now(),
  duration_ms integer not null
)`

/**
 * Brings a database to this release, over a direct connection: an empty one by schema.sql, one from before there were migrations by
 * adopting it, every other by its pending migrations. Can be repeated after any failure. Throws when an applied file was changed, a
 * file came late, a lock was not given in time, or an older database cannot be repaired.
 */
export async function migrate(client: pg.ClientBase, options: MigrateOptions): Promise<Migrated> {
  const patience: Patience = {
    log: options.log ?? (() => {}),
    pause: options.pause ?? ((ms) => new Promise((done) => setTimeout(done, ms))),
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  }
  const migrations = options.migrations ?? (await readMigrations())
  return alone(client, patience, async () => {
    let applied = await readApplied(client)
    const adopted: string[] = []
    if (applied.size === 0 && !(await isInUse(client))) {
      await installFresh(client, migrations)
      patience.log("The database was empty: schema.sql was applied.")
      await keepSettings(client, patience)
      return { applied: migrations.map(({ name }) => name), waiting: [] }
    }
    if (applied.size === 0) {
      const [baseline] = migrations as [Migration]
      const began = performance.now()
      await adoptDatabase(client, baseline.text, patience)
      await client.query(CREATE_TABLE)
      await record(client, baseline, Math.round(performance.now() - began))
      adopted.push(baseline.name)
      applied = await readApplied(client)
    }
    const pending = findPending(migrations, applied)
    const last = options.phase === "after-deploy" ? -1 : pending.findIndex(({ phase }) => phase === "after-deploy")
    const allowed = last < 0 ? pending : pending.slice(0, last)
    for (const migration of allowed) await apply(client, migration, patience)
    await keepSettings(client, patience)
    return { applied: [...adopted, ...allowed.map(({ name }) => name)], waiting: pending.slice(allowed.length) }
  })
}

async function keepSettings(client: pg.ClientBase, { log }: Patience): Promise<void> {
  if (await setDatabaseSettings(client)) return
  log(
    "This role may not set lock_timeout and jit for the database: waits for locks are bounded by the time limit of statements alone.",
  )
}

/** What `npm run admin -- migrate` prints. isBlocked: the deploy must wait, since a migration before it could not be applied. */
export function describeMigrated({ applied, waiting }: Migrated): { text: string; isBlocked: boolean } {
  const lines = [applied.length > 0 ? `Applied: ${applied.length}.` : "There was nothing to apply."]
  const [next, ...behind] = waiting
  const needed = behind.find(({ phase }) => phase === "before-deploy")
  if (next) {
    lines.push(
      `${next.name} waits: it is for after the deploy. When no worker of the release before it runs any more, apply it with`,
      "  npm run admin -- migrate --after-deploy",
    )
  }
  if (needed) lines.push(`Do not deploy before that: ${needed.name}, which this release needs, comes behind it.`)
  return { text: lines.join("\n"), isBlocked: needed !== undefined }
}

/** Applies schema.sql to an empty database, whole or not at all. */
async function installFresh(client: pg.ClientBase, migrations: Migration[]): Promise<void> {
  await inTransaction(client, async () => {
    await client.query(await readSchema())
    for (const migration of migrations) await record(client, migration, 0)
  })
}

async function apply(client: pg.ClientBase, migration: Migration, patience: Patience): Promise<void> {
  const { name, text, statements } = migration
  const began = performance.now()
  const passed = () => Math.round(performance.now() - began)
  if (statements) {
    for (const statement of statements) await runStatement(client, statement, patience)
    await record(client, migration, passed())
  } else {
    await retryLocks(name, patience, () =>
      inTransaction(client, async () => {
        await client.query(text)
        await record(client, migration, passed())
      }),
    )
  }
  patience.log(`${name} applied in ${passed()} ms`)
}

/** The migrations to apply, in order. Throws when the files and the database do not match. */
function findPending(migrations: Migration[], applied: Map<string, string>): Migration[] {
  const pending = migrations.filter(({ name }) => !applied.has(name))
  const newest = migrations.findLast(({ name }) => applied.has(name))
  for (const { name, checksum } of migrations) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new Error(
        `migrations/${name}.sql was changed after it was applied: bring its text back, and add a new file.`,
      )
    }
  }
  const late = newest && pending.find(({ name }) => name < newest.name)
  if (late) throw new Error(`${late.name} came after ${newest.name} was applied: give it the next number.`)
  return pending
}

/** Checksums by name. */
async function readApplied(client: pg.ClientBase): Promise<Map<string, string>> {
  const { rows: tables } = await client.query(
    "select 1 from pg_tables where schemaname = 'public' and tablename = 'schema_migrations'",
  )
  if (tables.length === 0) return new Map()
  const { rows } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from schema_migrations",
  )
  return new Map(rows.map(({ name, checksum }) => [name, checksum]))
}

async function record(client: pg.ClientBase, { name, checksum }: Migration, durationMs: number): Promise<void> {
  const sql = "insert into schema_migrations (name, checksum, duration_ms) values ($1, $2, $3)"
  await client.query(sql, [name, checksum, durationMs])
}

/** Whether it has the tables that every version had. */
async function isInUse(client: pg.ClientBase): Promise<boolean> {
  const { rowCount } = await client.query(
    "select 1 from pg_tables where schemaname = 'public' and tablename in ('users', 'wallets', 'turns')",
  )
  return rowCount === 3
}

async function inTransaction<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  await client.query("begin")
  try {
    const answer = await work()
    await client.query("commit")
    return answer
  } catch (error) {
    await client.query("rollback").catch(() => {})
    throw error
  }
}

/** Runs `work` while no other run does anything to this database, with the settings that it needs. */
async function alone<T>(client: pg.ClientBase, patience: Patience, work: () => Promise<T>): Promise<T> {
  await takeLock(client, patience)
  try {
    await client.query(`set search_path = public; set lock_timeout = ${LOCK_TIMEOUT_MS}; set statement_timeout = 0;
      set idle_in_transaction_session_timeout = 0`)
    // Shorter than the lock timeout, so an autovacuum in the way ends and a deadlock ends our statement. Not every role may set it.
    await client.query("set deadlock_timeout = 100").catch(() => {})
    return await work()
  } finally {
    await client.query("reset deadlock_timeout").catch(() => {})
    await client
      .query(
        `reset search_path; reset lock_timeout; reset statement_timeout; reset idle_in_transaction_session_timeout;
         select pg_advisory_unlock(${LOCK})`,
      )
      // Ends with the connection at the latest.
      .catch(() => {})
  }
}

/** Polls for the lock: a query that waits would hold up the concurrent index that it waits for. */
async function takeLock(client: pg.ClientBase, patience: Patience): Promise<void> {
  for (let seconds = 0; ; seconds++) {
    const { rows } = await client.query<{ is_ours: boolean }>(`select pg_try_advisory_lock(${LOCK}) as is_ours`)
    if (rows[0]?.is_ours) return
    if (seconds === 0) patience.log("Another run is applying migrations to this database: waiting for its end.")
    if (seconds >= OTHER_RUN_PATIENCE_S) throw new Error("Another run has been applying migrations for 10 minutes.")
    await patience.pause(1000)
  }
}
