import type pg from "pg"
import { setDatabaseSettings } from "./database-settings.ts"
import { type Migration, type MigrationPhase, readMigrations } from "./migration-files.ts"
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

/**
 * Brings a database to this release, over a direct connection. An empty one gets all migrations, since no worker runs on it; any other
 * gets its pending ones up to `phase`. Can be repeated after any failure. Throws when an applied file was changed, a file came late, a
 * lock was not given in time, or the database has tables that no migration made.
 */
export async function migrate(client: pg.ClientBase, options: MigrateOptions): Promise<Migrated> {
  const patience: Patience = {
    log: options.log ?? (() => {}),
    pause: options.pause ?? ((ms) => new Promise((done) => setTimeout(done, ms))),
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  }
  const migrations = options.migrations ?? (await readMigrations())
  return alone(client, patience, async () => {
    const applied = await readApplied(client)
    const isEmpty = applied.size === 0
    if (isEmpty) await refuseForeignTables(client)
    const pending = findPending(migrations, applied)
    const takesAll = isEmpty || options.phase === "after-deploy"
    const last = takesAll ? -1 : pending.findIndex(({ phase }) => phase === "after-deploy")
    const allowed = last < 0 ? pending : pending.slice(0, last)
    for (const migration of allowed) await apply(client, migration, patience)
    await keepSettings(client, patience)
    return { applied: allowed.map(({ name }) => name), waiting: pending.slice(allowed.length) }
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
  const [next, ...later] = waiting
  const needed = later.find(({ phase }) => phase === "before-deploy")
  if (next) {
    lines.push(
      `${next.name} waits until after the deploy. When no worker of the previous release runs any more, apply it with`,
      "  npm run admin -- migrate --after-deploy",
    )
  }
  if (needed) lines.push(`Do not deploy before that: this release needs ${needed.name}, which comes after it.`)
  return { text: lines.join("\n"), isBlocked: needed !== undefined }
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
        `migrations/${name}.sql was changed after it was applied to this database: restore it, and put the change into a new file. ` +
          "A database without data to keep can be dropped and made again instead.",
      )
    }
  }
  const late = newest && pending.find(({ name }) => name < newest.name)
  if (late) throw new Error(`${late.name} was added after ${newest.name} was applied: give it the next number.`)
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

async function refuseForeignTables(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename in ('users', 'wallets', 'turns')",
  )
  if (rows.length === 0) return
  const names = rows.map(({ name }) => name).join(", ")
  throw new Error(
    `The database has tables (${names}) but no record of migrations, so no release made them. Set DATABASE_URL to an empty database.`,
  )
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
