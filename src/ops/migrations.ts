import type pg from "pg"
import { SET_SESSION } from "../platform/session-settings.ts"
import { requireLetters } from "./check-letters.ts"
import { setDatabaseSettings } from "./database-settings.ts"
import { type Migration, type MigrationPhase, readMigrations } from "./migration-files.ts"
import { LOCK_TIMEOUT_MS, type Patience, retryLocks, runStatement } from "./run-statement.ts"

export interface MigrateOptions {
  /** "before-deploy" stops before the first pending after-deploy migration. */
  phase: MigrationPhase
  log?: (line: string) => void
  /** Default: the files of migrations/. */
  migrations?: Migration[]
  pause?: (ms: number) => Promise<void>
  /** How long to retry the lock of one migration, in milliseconds. Default: two minutes. */
  patienceMs?: number
}

export interface Migrated {
  applied: string[]
  /** The migrations that are still pending: an after-deploy migration and all after it. */
  waiting: Migration[]
}

const PATIENCE_MS = 120_000
const OTHER_RUN_PATIENCE_S = 600
const LOCK = "hashtext('schema_migrations')"

/**
 * Applies the pending migrations up to `phase` over a direct connection, or all of them to an empty database. It can be
 * repeated after any failure. Throws if an applied file was changed, a file has a number before an applied one, a lock
 * was not available in time, or the database has tables that no migration created.
 */
export async function migrate(client: pg.ClientBase, options: MigrateOptions): Promise<Migrated> {
  const patience: Patience = {
    log: options.log ?? (() => {}),
    pause: options.pause ?? ((ms) => new Promise((done) => setTimeout(done, ms))),
    patienceMs: options.patienceMs ?? PATIENCE_MS,
  }
  const migrations = options.migrations ?? (await readMigrations())
  return alone(client, patience, async () => {
    await requireLetters(client)
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
    "This role cannot change the settings of the database (lock_timeout, jit, TimeZone and others). Without a lock_timeout, only the time limit of statements bounds waits for locks.",
  )
}

/**
 * The output of `npm run admin -- migrate`. isBlocked: the deploy must wait, because a migration that it needs is
 * pending.
 */
export function describeMigrated({ applied, waiting }: Migrated): { text: string; isBlocked: boolean } {
  const lines = [applied.length > 0 ? `Applied: ${applied.length}.` : "There was nothing to apply."]
  const [next, ...later] = waiting
  const needed = later.find(({ phase }) => phase === "before-deploy")
  if (next) {
    lines.push(
      `${next.name} must be applied after the deploy. When no worker of the previous release runs any more, apply it with`,
      "  npm run admin -- migrate --after-deploy",
    )
  }
  if (needed) lines.push(`Do not deploy before that, because this release needs ${needed.name}, which comes after it.`)
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

/** The migrations to apply, in order. Throws if the files do not match the applied migrations. */
function findPending(migrations: Migration[], applied: Map<string, string>): Migration[] {
  const pending = migrations.filter(({ name }) => !applied.has(name))
  const newest = migrations.findLast(({ name }) => applied.has(name))
  for (const { name, checksum } of migrations) {
    if (applied.has(name) && applied.get(name) !== checksum) {
      throw new Error(
        `migrations/${name}.sql was changed after it was applied to this database. Restore it, and put the change into a new file. ` +
          "If you do not need the data, you can drop the database and create it again instead.",
      )
    }
  }
  const late = newest && pending.find(({ name }) => name < newest.name)
  if (late) throw new Error(`${late.name} was added after ${newest.name} was applied. Give it the next number.`)
  return pending
}

/** The checksums of the applied migrations by name. */
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
    `The database has tables (${names}) but no record of migrations, so no release created them. Set DATABASE_URL to an empty database.`,
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

/** Runs `work` with the settings that migrations need, while no other run can change this database. */
async function alone<T>(client: pg.ClientBase, patience: Patience, work: () => Promise<T>): Promise<T> {
  await takeLock(client, patience)
  try {
    await client.query(`${SET_SESSION}; set search_path = public; set lock_timeout = ${LOCK_TIMEOUT_MS}; set statement_timeout = 0;
      set idle_in_transaction_session_timeout = 0`)
    // Shorter than the lock timeout, so that a blocking autovacuum is cancelled. Not every role can set it.
    await client.query("set deadlock_timeout = 100").catch(() => {})
    return await work()
  } finally {
    await client.query("reset deadlock_timeout").catch(() => {})
    await client
      .query(
        `reset search_path; reset lock_timeout; reset statement_timeout; reset idle_in_transaction_session_timeout;
         select pg_advisory_unlock(${LOCK})`,
      )
      // The lock ends with the connection at the latest.
      .catch(() => {})
  }
}

/** Polls for the lock. A waiting query would block the concurrent index build of the run that has the lock. */
async function takeLock(client: pg.ClientBase, patience: Patience): Promise<void> {
  for (let seconds = 0; ; seconds++) {
    const { rows } = await client.query<{ is_ours: boolean }>(`select pg_try_advisory_lock(${LOCK}) as is_ours`)
    if (rows[0]?.is_ours) return
    if (seconds === 0) patience.log("Another run is applying migrations to this database. Waiting for its end.")
    if (seconds >= OTHER_RUN_PATIENCE_S) throw new Error("Another run has been applying migrations for 10 minutes.")
    await patience.pause(1000)
  }
}
