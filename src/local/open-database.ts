import type pg from "pg"
import { type Connections, createPool, openConnections } from "./connections.ts"

export interface OpenDatabase {
  /** The connection string of the database's owner. */
  url: string
  /** The connection strings for the role of each worker, and for one worker with every group (`all`). */
  workerUrls: Record<string, string>
  connections: Connections
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
  const connections = openConnections(asking)
  // A test may hold locks on several of them while it looks on another who waits.
  const direct = createPool(url, 8)
  return {
    url,
    workerUrls,
    connections,
    direct,
    close: async () => void (await Promise.all([connections.end(), direct.end()])),
  }
}
