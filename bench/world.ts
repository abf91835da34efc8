import { randomBytes } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import type { SetCaps } from "../src/identity/caps.ts"
import { startStack } from "../src/local/stack.ts"
import { createApiKey, createUser, topUp } from "../src/ops/seed.ts"
import { startBucket } from "./bucket.ts"
import { type Account, type Load, startLoad } from "./load.ts"
import { type Runtime, startRuntime } from "./runtime.ts"

export type Sql = <Row = Record<string, unknown>>(query: string, params?: unknown[]) => Promise<Row[]>

/** The service on a database and a queue of its own. */
export interface Site {
  /** Serves /v1. */
  runtime: Runtime
  /** Of every worker of the service. */
  pids: number[]
  env: Record<string, string>
  sql: Sql
  accounts: Account[]
}

interface SiteOptions {
  /** When false, the queue keeps what is published, so that turns are accepted and not run. */
  runs: boolean
  accounts?: number
  /** Every cap that a key can have, each too high to be met. */
  capped?: boolean
  /** As deployed: the groups v1 and callbacks as a worker each. Else one worker serves all. */
  split?: boolean
}

export interface World {
  load: Load
  site(name: string, options: SiteOptions): Promise<Site>
  bareWorker(site: Site): Promise<Runtime>
  /** A superuser's URL of the server. */
  databaseUrl: string
  /** What is closed with the world, the newest first. */
  keep: Keep
  close(): Promise<void>
}

type Keep = (close: () => Promise<unknown>) => void

const CREDIT_MICROS = 1e13
const HIGH_CAPS = {
  ...{ daily_usd: 1e6, window_usd: 1e6, window_seconds: 3600 },
  ...{ end_user_daily_usd: 1e6, end_user_monthly_usd: 1e6 },
}

export async function createWorld(): Promise<World> {
  const closers: (() => Promise<unknown>)[] = []
  let isClosed = false
  const keep: Keep = (one) => {
    if (isClosed) void one()
    else closers.push(one)
  }
  const close = async () => {
    isClosed = true
    for (const one of closers.splice(0).reverse()) await one().catch((error: unknown) => console.error(error))
  }
  try {
    return await build(keep, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function build(keep: Keep, close: () => Promise<void>): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-bench-"))
  keep(() => rm(dataDir, { recursive: true, force: true }))
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
  const stack = await startStack({ dataDir, control: false, durable: false, databaseUrl, redisUrl })
  keep(stack.close)
  const bucket = await startBucket()
  keep(bucket.stop)
  const load = startLoad()
  keep(load.stop)

  return {
    load,
    databaseUrl: stack.databaseUrl,
    keep,
    async site(name, { runs, accounts = 1, capped = false, split = false }) {
      const namespace = await stack.createNamespace({ name, qstash_mode: runs ? "push" : "manual" })
      const pool = new pg.Pool({ connectionString: namespace.databaseUrl, max: 4 })
      pool.on("error", () => {})
      keep(() => pool.end())
      const sql: Sql = async (query, params = []) => (await pool.query(query, params)).rows
      await sql(
        "create table bench_rows (id text primary key, body text not null, created_at timestamptz default now())",
      )
      const env = { ...namespace.env, SECRETS_KEYS: `bench:${randomBytes(32).toString("base64")}` }
      const bindings = (callbacksUrl: string) => ({ ...env, CALLBACKS_URL: callbacksUrl, LOG_LEVEL: "error" })
      const start = (group: string, callbacksUrl?: string) => {
        return startRuntime({
          name: `${name}-${group}`,
          entry: `functions/${group}.ts`,
          dir: dataDir,
          bindings: (url) => bindings(callbacksUrl ?? url),
          bucket: bucket.address,
          keep,
        })
      }
      const first = await start(split ? "callbacks" : "all")
      const runtime = split ? await start("v1", first.url) : first
      const pids = split ? [runtime.pid, first.pid] : [runtime.pid]
      const made = []
      for (let i = 0; i < accounts; i++) made.push(await createAccount(sql, runtime.url, capped ? HIGH_CAPS : {}))
      return { runtime, pids, env, sql, accounts: made }
    },
    bareWorker({ env }) {
      return startRuntime({
        name: "bare",
        entry: "bench/bare-worker.ts",
        dir: dataDir,
        bindings: () => env,
        bucket: bucket.address,
        keep,
      })
    },
    close,
  }
}

async function createAccount(sql: Sql, url: string, caps: SetCaps): Promise<Account> {
  const now = new Date()
  const userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const { value: key } = await createApiKey(sql, { userId, brand: "turnpike", name: "bench", caps, now })
  const response = await fetch(`${url}/v1/spaces`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Bench", model: "rehearsal/standard" }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  const { space_id: space } = (await response.json()) as { space_id: string }
  return { userId, key, space }
}
