import pg from "pg"

/** Neon's proxy keeps at most this many connections of an endpoint open between requests, over all roles. */
export const MOST_WARM = 20
/** The connections of a role at once. The proxy has no such limit: it opens a connection if none is free. */
const MOST_AT_ONCE = 64
const IDLE_MS = 30_000
/** The number of kinds of failed statements that are counted separately. */
const MOST_KINDS = 200

/** The sessions that one role keeps in one database. */
export interface AskingPool {
  /** With the role's name and password, as a worker gives it. */
  url: URL
  pool: pg.Pool
}

/** Connections that were opened and closed since the database was opened. */
export interface ConnectionCounts {
  opened: number
  /** Closed after an error of their statement. */
  dropped: number
  /** Closed because enough others were warm. */
  surplus: number
  /** By SQLSTATE and statement, how many errors dropped one. */
  errors: Record<string, number>
}

export type Connections = ReturnType<typeof openConnections>

/** The connections by which roles ask over HTTP. Opens none yet: each pool makes one when it is first asked. */
export function openConnections(urls: string[]) {
  const counts: ConnectionCounts = { opened: 0, dropped: 0, surplus: 0, errors: {} }
  const pools: AskingPool[] = urls.map((url) => ({ url: new URL(url), pool: createPool(url, MOST_AT_ONCE) }))
  const leaving = new Set<pg.PoolClient>()
  for (const { pool } of pools) {
    pool.on("connect", () => counts.opened++)
    pool.on("remove", (client) => leaving.delete(client as pg.PoolClient))
  }

  function close(client: pg.PoolClient): void {
    leaving.add(client)
    client.release(true)
  }

  return {
    pools,
    counts,
    /** The next statement may have it, unless enough others are free. */
    giveBack(pool: pg.Pool, client: pg.PoolClient): void {
      const warm = pools.reduce((sum, one) => sum + one.pool.idleCount, 0)
      if (pool.waitingCount > 0 || warm < MOST_WARM) client.release()
      else {
        counts.surplus++
        close(client)
      }
    },
    /** Closes it after an error: `code` is PostgreSQL's, or says what else has happened. */
    drop(client: pg.PoolClient, code: string, label: string): void {
      const name = `${code} ${label}`
      const kind = name in counts.errors || Object.keys(counts.errors).length < MOST_KINDS ? name : "others"
      counts.errors[kind] = (counts.errors[kind] ?? 0) + 1
      counts.dropped++
      close(client)
    },
    /** Whether no connection is in use, wanted or being closed. */
    isCalm: () =>
      leaving.size === 0 && pools.every(({ pool }) => pool.idleCount === pool.totalCount && pool.waitingCount === 0),
    end: () => Promise.all(pools.map(({ pool }) => pool.end())),
  }
}

export function sumConnections(all: ConnectionCounts[]): ConnectionCounts {
  const sum: ConnectionCounts = { opened: 0, dropped: 0, surplus: 0, errors: {} }
  for (const { opened, dropped, surplus, errors } of all) {
    sum.opened += opened
    sum.dropped += dropped
    sum.surplus += surplus
    for (const [kind, times] of Object.entries(errors)) sum.errors[kind] = (sum.errors[kind] ?? 0) + times
  }
  return sum
}

/** `begin`: statements that each new session runs before its first one. */
export function createPool(connectionString: string, max: number, begin?: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, idleTimeoutMillis: IDLE_MS })
  // An idle connection that the server ends is replaced at its next use; one in use reports to its statement.
  pool.on("error", () => {})
  pool.on("connect", (client) => {
    client.on("error", () => {})
    if (begin) client.query(begin).catch(() => {})
  })
  return pool
}
