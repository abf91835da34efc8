import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { startStack } from "../src/local/stack.ts"
import { createApiKey, createUser, topUp } from "../src/ops/seed.ts"
import { type Account, type Load, startLoad } from "./load.ts"
import { type Runtime, startRuntime } from "./runtime.ts"

export type Sql = <Row = Record<string, unknown>>(query: string, params?: unknown[]) => Promise<Row[]>

/** The service on a database and a queue of its own. */
export interface Site {
  runtime: Runtime
  env: Record<string, string>
  sql: Sql
  accounts: Account[]
}

export interface World {
  load: Load
  /** With `runs: false` the queue keeps what is published, so that turns are accepted and not run. */
  site(name: string, options: { runs: boolean; accounts?: number }): Promise<Site>
  bareWorker(site: Site): Promise<Runtime>
  close(): Promise<void>
}

const CREDIT_MICROS = 1e13

export async function createWorld(): Promise<World> {
  const closers: (() => Promise<unknown>)[] = []
  const close = async () => {
    for (const one of closers.splice(0).reverse()) await one().catch((error: unknown) => console.error(error))
  }
  try {
    return await build(closers, close)
  } catch (error) {
    await close()
    throw error
  }
}

async function build(closers: (() => Promise<unknown>)[], close: () => Promise<void>): Promise<World> {
  const dataDir = await mkdtemp(join(tmpdir(), "turnpike-bench-"))
  closers.push(() => rm(dataDir, { recursive: true, force: true }))
  const schemaSql = await readFile("schema.sql", "utf8")
  const { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl } = process.env
  const stack = await startStack({ dataDir, control: false, durable: false, schemaSql, databaseUrl, redisUrl })
  closers.push(stack.close)
  const load = startLoad()
  closers.push(load.stop)

  return {
    load,
    async site(name, { runs, accounts = 1 }) {
      const namespace = await stack.createNamespace({ name, qstash_mode: runs ? "push" : "manual" })
      const pool = new pg.Pool({ connectionString: namespace.databaseUrl, max: 4 })
      pool.on("error", () => {})
      closers.push(() => pool.end())
      const sql: Sql = async (query, params = []) => (await pool.query(query, params)).rows
      await sql(
        "create table bench_rows (id text primary key, body text not null, created_at timestamptz default now())",
      )
      const { env } = namespace
      const bindings = (url: string) => ({ ...env, CALLBACKS_URL: url, LOG_LEVEL: "error" })
      const runtime = await startRuntime({ name, entry: "functions/all.ts", dir: dataDir, bindings })
      closers.push(runtime.stop)
      const made = []
      for (let i = 0; i < accounts; i++) made.push(await createAccount(sql, runtime.url))
      return { runtime, env, sql, accounts: made }
    },
    async bareWorker({ env }) {
      const runtime = await startRuntime({
        name: "bare",
        entry: "bench/bare-worker.ts",
        dir: dataDir,
        bindings: () => env,
      })
      closers.push(runtime.stop)
      return runtime
    },
    close,
  }
}

async function createAccount(sql: Sql, url: string): Promise<Account> {
  const now = new Date()
  const userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const { value: key } = await createApiKey(sql, { userId, brand: "turnpike", name: "bench", now })
  const response = await fetch(`${url}/v1/spaces`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Bench", model: "rehearsal/standard" }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  const { space_id: space } = (await response.json()) as { space_id: string }
  return { userId, key, space }
}
