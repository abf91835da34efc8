import pg from "pg"

/** The sessions that one role keeps in one database. */
export interface AskingPool {
  /** With the role's name and password, as a worker gives it. */
  url: URL
  pool: pg.Pool
}

export interface OpenDatabase {
  /** The connection string of the database's owner. */
  url: string
  /** The connection strings for the role of each worker, and for one worker with every group (`all`). */
  workerUrls: Record<string, string>
  pools: AskingPool[]
  /** The owner's own sessions, for statements that no worker sends. */
  direct: pg.Pool
  close(): Promise<void>
}

interface Options {
  url: string
  workerUrls: Record<string, string>
  /** True if the owner can also send statements over HTTP, like a worker. */
  ownerAsks: boolean
}

/** Opens no connection yet: each pool opens one at its first use. */
export function openDatabase({ url, workerUrls, ownerAsks }: Options): OpenDatabase {
  const asking = [...Object.values(workerUrls), ...(ownerAsks ? [url] : [])]
  const pools = createPools(asking)
  // A test may hold locks on several of them while it looks on another who waits.
  const direct = createPool(url, 8)
  return {
    url,
    workerUrls,
    pools,
    direct,
    close: async () => void (await Promise.all([...pools.map(({ pool }) => pool.end()), direct.end()])),
  }
}

export function createPools(urls: string[]): AskingPool[] {
  return urls.map((url) => ({ url: new URL(url), pool: createPool(url, 24) }))
}

function createPool(connectionString: string, max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString, max, idleTimeoutMillis: 30_000 })
  // An idle connection that the server ends is replaced at its next use; one in use reports to its statement.
  pool.on("error", () => {})
  pool.on("connect", (client) => client.on("error", () => {}))
  return pool
}
