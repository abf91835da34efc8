import { rm } from "node:fs/promises"
import { join } from "node:path"
import { withClient } from "../src/local/databases.ts"
import { startPostgres } from "../src/local/postgres.ts"
import { makeTemporaryDirectory } from "../src/local/temporary-directory.ts"
import { startBucket } from "./bucket.ts"
import { type Child, startChild } from "./child.ts"
import { type Load, startLoad } from "./load.ts"
import { postmasterOf } from "./processes.ts"
import type { Runtime } from "./runtime.ts"
import type { Version } from "./version.ts"

export interface WorldOptions {
  /** The measured version. */
  version: Version
  /** The runtime of the worker: workerd alone, or Miniflare as in `npm start`. */
  runtime: "workerd" | "miniflare"
  durable: boolean
  /** More settings of postgresql.conf. Ignored if DATABASE_URL names a server. */
  settings?: Record<string, string>
  /** The folder of the server's data, which is kept. Default: a temporary folder. */
  keptIn?: string | undefined
  /** The URL of a server that runs already and has fitting settings. Default: a new server. */
  server?: string
}

/** The servers of one measurement. */
export interface BenchWorld extends WorldOptions {
  dataDir: string
  /** The URL of the server for a superuser. */
  postgresUrl: string
  /** The server's main process; empty if it runs on another machine. */
  postgresPids: number[]
  standIns: Child
  /** The host and port of the R2 bucket. */
  bucket: string
  load: Load
  /** The workers that were started in it and are under the platform's limits. */
  limited: Pick<Runtime, "url">[]
  /** Things to end with the world, the newest first. */
  keep(close: () => Promise<unknown>): void
  close(): Promise<void>
}

export async function createBenchWorld(options: WorldOptions): Promise<BenchWorld> {
  const closers: (() => Promise<unknown>)[] = []
  let isClosed = false
  const keep = (one: () => Promise<unknown>) => {
    if (isClosed) void one()
    else closers.push(one)
  }
  const close = async () => {
    isClosed = true
    for (const one of closers.splice(0).reverse()) await one().catch((error: unknown) => console.error(error))
  }
  try {
    const servers = await startServers(options, keep)
    return { ...options, ...servers, limited: [], keep, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function startServers(
  { durable, settings = {}, keptIn, server: shared }: WorldOptions,
  keep: BenchWorld["keep"],
) {
  const dataDir = await makeTemporaryDirectory("bench")
  keep(() => rm(dataDir, { recursive: true, force: true }))
  const postgresUrl = process.env.DATABASE_URL ?? shared ?? (await startServer())
  const standIns = startChild("stand-ins-process.ts", { DATABASE_URL: postgresUrl })
  keep(standIns.stop)
  const bucket = await startBucket()
  keep(bucket.stop)
  const load = startLoad()
  keep(load.stop)
  const postmaster = await withClient(postgresUrl, async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid")
    return postmasterOf(rows[0]?.pid ?? 0)
  })
  const postgresPids = postmaster === null ? [] : [postmaster]
  return { dataDir, postgresUrl, postgresPids, standIns, bucket: bucket.address, load }

  async function startServer(): Promise<string> {
    const server = await startPostgres({ dataDir: keptIn ?? join(dataDir, "postgres"), durable, settings })
    keep(() => server.stop())
    return server.url
  }
}
