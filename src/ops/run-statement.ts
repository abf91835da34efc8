import pg from "pg"

/** How a run waits for locks, and how it reports that. */
export interface Patience {
  log(line: string): void
  pause(ms: number): Promise<void>
  /** How long to retry a lock. */
  patienceMs: number
}

/** How long one attempt waits for a lock. Requests queue after it for as long, and none should wait 500 ms. */
export const LOCK_TIMEOUT_MS = 250
const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 2_000
const BATCH_PAUSE_MS = 20

/** lock_not_available, deadlock_detected, serialization_failure. */
const CONTENTION = new Set(["55P03", "40P01", "40001"])

/** Repeats `work` with growing pauses while another session has a lock. Throws the last error after `patienceMs`. */
export async function retryLocks<T>(what: string, patience: Patience, work: () => Promise<T>): Promise<T> {
  const began = performance.now()
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(2 * wait, LONGEST_PAUSE_MS)) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && CONTENTION.has(error.code ?? ""))) throw error
      if (performance.now() - began + wait > patience.patienceMs) {
        const seconds = Math.round(patience.patienceMs / 1000)
        throw new Error(
          `${what}: other sessions have held the lock for ${seconds} s (${error.message}). Run the command again later.`,
          {
            cause: error,
          },
        )
      }
      patience.log(`${what}: ${error.message}; trying again in ${wait} ms`)
    }
    await patience.pause(wait)
  }
}

/**
 * Runs one statement as its own transaction. A statement after the line `-- batch` is repeated until it changes no row.
 * A concurrent index that exists is skipped; an invalid one of a failed attempt is dropped and built again.
 */
export async function runStatement(client: pg.ClientBase, statement: string, patience: Patience): Promise<void> {
  const what = shorten(statement)
  if (/^-- batch$/m.test(statement)) return runBatches(client, statement, what, patience)
  const index = /\bcreate\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\b/i.exec(
    withoutComments(statement),
  )?.[1]
  await retryLocks(what, patience, async () => {
    if (index) {
      const isValid = await readValidity(client, index)
      if (isValid) return
      if (isValid === false) await runUnqueued(client, `drop index concurrently ${pg.escapeIdentifier(index)}`)
    }
    if (/\bconcurrently\b/i.test(withoutComments(statement))) await runUnqueued(client, statement)
    else await client.query(statement)
  })
}

async function runBatches(client: pg.ClientBase, statement: string, what: string, patience: Patience) {
  let rows = 0
  for (;;) {
    const { rowCount } = await retryLocks(what, patience, () => client.query(statement))
    if (!rowCount) break
    rows += rowCount
    await patience.pause(BATCH_PAUSE_MS)
  }
  if (rows) patience.log(`${what}: ${rows} rows`)
}

/** Runs a concurrent statement without a lock timeout. Other statements do not queue for its locks, so it can wait. */
async function runUnqueued(client: pg.ClientBase, statement: string): Promise<void> {
  await client.query("set lock_timeout = 0")
  try {
    await client.query(statement)
  } finally {
    await client.query(`set lock_timeout = ${LOCK_TIMEOUT_MS}`)
  }
}

/** Returns null if there is no such index. */
async function readValidity(client: pg.ClientBase, index: string): Promise<boolean | null> {
  const { rows } = await client.query<{ indisvalid: boolean }>(
    "select indisvalid from pg_index where indexrelid = to_regclass(quote_ident($1))",
    [index],
  )
  return rows[0]?.indisvalid ?? null
}

const withoutComments = (statement: string) => statement.replaceAll(/--[^\n]*/g, "")

function shorten(statement: string): string {
  const text = withoutComments(statement).replaceAll(/\s+/g, " ").trim()
  return text.length > 70 ? `${text.slice(0, 70)} …` : text
}
