import { randomBytes } from "node:crypto"
import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import pg from "pg"
import type { SetCaps } from "../src/keys/caps.ts"
import { buildWorker } from "../src/local/build-worker.ts"
import { addDatabase, dropDatabase, withClient } from "../src/local/databases.ts"
import { startDevServer } from "../src/local/dev-server.ts"
import { freePort } from "../src/local/postgres.ts"
import { buildOnce } from "./built-once.ts"
import type { BenchAccount } from "./load.ts"
import type { Groups } from "./processes.ts"
import { type Runtime, startRuntime } from "./runtime.ts"
import type { Question } from "./stand-ins-process.ts"
import type { Version } from "./version.ts"
import type { BenchWorld } from "./world.ts"

export type Sql = <Row = Record<string, unknown>>(query: string, params?: unknown[]) => Promise<Row[]>

/** A service with its own database. */
export interface Site {
  /** The worker that serves /v1. */
  runtime: Runtime
  /** Runs turns. */
  runner: Runtime
  /** The processes whose CPU its turns use. */
  groups: Groups
  /** The bindings of the worker. */
  env: Record<string, string>
  databaseUrl: string
  sql: Sql
  accounts: BenchAccount[]
}

interface SiteOptions {
  /** False if the queue must keep its messages, so that turns are accepted but not run. */
  runs: boolean
  accounts?: number
  /** True to set every cap of a key, too high to be reached. */
  capped?: boolean
  /** True for v1 and callbacks as separate workers, as deployed. Default: one worker serves all groups. */
  split?: boolean
  /** The settings of the database. */
  settings?: Record<string, string>
  /** The stand-in notes how long each statement takes. */
  timed?: boolean
  /** With an isolate's bound for the heap, and an inspector (runtime.ts). */
  isMeasured?: boolean
  /** How many messages the queue delivers at once. */
  queueLimit?: number
  /** More bindings of the worker. */
  bindings?: Record<string, string>
  /** Where its stand-in finds the database, by the database's own URL. */
  databaseAt?: (url: string) => Promise<string>
}

const CREDIT_MICROS = 1e13
const HIGH_CAPS = {
  daily_usd: 1e6,
  window_usd: 1e6,
  window_seconds: 3600,
  end_user_daily_usd: 1e6,
  end_user_monthly_usd: 1e6,
}

/** Starts Turnpike in the version and on the runtime of the world. */
export async function createSite(world: BenchWorld, name: string, options: SiteOptions): Promise<Site> {
  const { runs, accounts = 1, capped = false, split = false, settings = {}, timed = false, bindings = {} } = options
  const { isMeasured = false } = options
  const { version, standIns, postgresPids } = world
  const { url: databaseUrl, sql } = await createSiteDatabase(world, name, settings)
  await version.fillDatabase(databaseUrl)
  await sql("create table bench_rows (id text primary key, body text not null, created_at timestamptz default now())")
  const at = options.databaseAt ? await options.databaseAt(databaseUrl) : databaseUrl
  const question: Question = {
    ask: "namespace",
    name,
    qstash_mode: runs ? "push" : "manual",
    qstash_parallelism: options.queueLimit,
    databaseUrl: at,
    timed,
  }
  const namespace = await standIns.ask<Record<string, string>>(question)
  const env = {
    ...namespace,
    SECRETS_KEYS: `bench:${randomBytes(32).toString("base64")}`,
    LOG_LEVEL: "error",
    ...bindings,
  }
  const runtimes = await startWorkers(world, name, env, { split, isMeasured })
  const [runtime, runner] = [runtimes[0] as Runtime, runtimes.at(-1) as Runtime]
  const groups = {
    worker: runtimes.map(({ pid }) => pid),
    postgres: postgresPids,
    stand_ins: [standIns.pid],
  }
  const made = []
  for (let i = 0; i < accounts; i++) {
    made.push(await createBenchAccount(version.seed, sql, runtime.url, capped ? HIGH_CAPS : {}))
  }
  return { runtime, runner, groups, env, databaseUrl, sql, accounts: made }
}

/** Starts a site again on a new database that `fill` restores, with a new queue and Redis, and the same key ring. */
export async function restoreSite(world: BenchWorld, lost: Site, fill: (url: string) => Promise<void>): Promise<Site> {
  const { url: databaseUrl, sql } = await createSiteDatabase(world, "restored")
  await fill(databaseUrl)
  const question: Question = { ask: "namespace", name: "restored", qstash_mode: "push", databaseUrl, timed: false }
  const namespace = await world.standIns.ask<Record<string, string>>(question)
  const env = { ...lost.env, ...namespace }
  const [runtime] = await startWorkers(world, "restored", env, { split: false, isMeasured: false })
  return { ...lost, runtime: runtime as Runtime, runner: runtime as Runtime, env, databaseUrl, sql }
}

/** The model of the bench's model server, at `OPENAI_BASE_URL`. */
export const BENCH_PIN = "openai-compatible/bench"

/** Lets the space of each account use the bench's model. */
export async function useBenchModel({ sql, runtime, accounts }: Site): Promise<void> {
  await sql(
    `insert into model_catalog (pin, engine, model, label, enabled, sort_order, price_input, price_cached, price_output)
     values ($1, 'openai-compatible', 'bench', 'Bench', true, 100, 10000000, 1000000, 50000000)`,
    [BENCH_PIN],
  )
  await Promise.all(
    accounts.map(async ({ key, space }) => {
      const response = await fetch(`${runtime.url}/v1/spaces/${space}/manifest`, {
        method: "PUT",
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        body: JSON.stringify({ model: BENCH_PIN, builtin_tools: [] }),
      })
      if (!response.ok) throw new Error(await response.text())
    }),
  )
}

let databases = 0

/** Creates an empty database that is dropped when the world ends. */
export async function createSiteDatabase(world: BenchWorld, name: string, settings: Record<string, string> = {}) {
  const database = `bench_${name}_${process.pid}_${databases++}`
  const url = await addDatabase(world.postgresUrl, database)
  // The server may outlive us, so the database is dropped.
  world.keep(() => dropDatabase(world.postgresUrl, database))
  await withClient(world.postgresUrl, async (client) => {
    for (const [setting, value] of Object.entries(settings)) {
      await client.query(`alter database ${pg.escapeIdentifier(database)} set ${setting} = ${pg.escapeLiteral(value)}`)
    }
  })
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on("error", () => {})
  world.keep(() => pool.end())
  const sql: Sql = async (query, params = []) => (await pool.query(query, params)).rows
  return { url, sql }
}

/** The one that serves /v1 first, and the one that runs turns last. */
async function startWorkers(
  world: BenchWorld,
  name: string,
  env: Record<string, string>,
  { split, isMeasured }: { split: boolean; isMeasured: boolean },
) {
  const { version, dataDir, bucket, keep } = world
  if (world.runtime === "miniflare") {
    const port = await freePort()
    const dir = join(dataDir, name)
    await mkdir(dir, { recursive: true })
    const bindings = { ...env, CALLBACKS_URL: `http://127.0.0.1:${port}` }
    const script = join(dir, "worker.js")
    await buildOnce(version.dir, script, (file) => buildWorker(version.dir, file))
    const server = await startDevServer({ port, dataDir: dir, env: bindings, script, cwd: version.dir })
    keep(server.stop)
    return [server]
  }
  const start = (group: string, callbacksUrl?: string) => {
    return startRuntime({
      name: `${name}-${group}`,
      root: version.dir,
      entry: `functions/${group}.ts`,
      dir: dataDir,
      bindings: (url) => ({ ...env, CALLBACKS_URL: callbacksUrl ?? url }),
      bucket,
      isMeasured,
      keep,
    })
  }
  const first = await start(split ? "callbacks" : "all")
  const all = split ? [await start("v1", first.url), first] : [first]
  world.limited.push(...all)
  return all
}

/** Starts the minimal worker on the database of a site. */
export function startBareWorker({ dataDir, bucket, keep }: BenchWorld, { env }: Site): Promise<Runtime> {
  const root = join(import.meta.dirname, "..")
  return startRuntime({
    name: "bare",
    root,
    entry: "bench/bare-worker.ts",
    dir: dataDir,
    bindings: () => env,
    bucket,
    keep,
  })
}

/** Creates an account with credit, a key and a space. */
export async function createBenchAccount(
  seed: Version["seed"],
  sql: Sql,
  url: string,
  caps: SetCaps,
): Promise<BenchAccount> {
  const now = new Date()
  const userId = await seed.createUser(sql, {})
  await seed.topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const { value: key } = await seed.createApiKey(sql, { userId, brand: "turnpike", name: "bench", caps, now })
  const response = await fetch(`${url}/v1/spaces`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ title: "Bench", model: "rehearsal/standard" }),
  })
  if (response.status !== 201) throw new Error(await response.text())
  const { space_id: space } = (await response.json()) as { space_id: string }
  return { userId, key, space }
}
