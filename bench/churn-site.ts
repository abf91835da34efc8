import { randomBytes } from "node:crypto"
import pg from "pg"
import type { KeyCredential } from "../src/actor/actor.ts"
import { createContext } from "../src/actor/context.ts"
import { parseBaseEnv } from "../src/base/env.ts"
import { parseApiKey } from "../src/keys/api-key.ts"
import { createApiKey, createUser, topUp } from "../src/ops/seed.ts"
import { type Database, databaseOver } from "../src/platform/db.ts"
import { createOutbound } from "../src/platform/outbound.ts"
import { createRedis } from "../src/platform/redis.ts"
import { createSpace } from "../src/spaces/create-space.ts"
import { acceptTurn } from "../src/turns/accept-turn.ts"
import { createWebhook } from "../src/webhooks/create-webhook.ts"
import { dispatchWebhook } from "../src/webhooks/dispatch-webhook.ts"
import { advanceTurn } from "../test/harness/claim.ts"
import { noQueue } from "../test/harness/context.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { createdOnce } from "./verbs.ts"
import type { BenchWorld } from "./world.ts"

const ACCOUNTS = 64
const CONNECTIONS = 4
/** The number of turns between two runs of the webhook's dispatcher, and the number of an account's end users. */
const PER_DISPATCH = 8
const CUSTOMERS = 40
const CREDIT_MICROS = 1e13
const INT8 = 20

export interface ChurnSite {
  sql: Sql
  /**
   * Runs plain turns until their events are delivered, a few at a time. Half of them run when they are accepted, and
   * half after all were accepted.
   */
  runTurns(count: number): Promise<void>
  count(): number
}

interface Account {
  credential: KeyCredential
  space: string
  webhookId: string
  sent: number
}

/** Creates a database with accounts; this process acts as the workers. `changes`: statements to run on it first. */
export async function createChurnSite(world: BenchWorld, name: string, changes: string[]): Promise<ChurnSite> {
  const { url, sql } = await createSiteDatabase(world, name)
  await world.version.fillDatabase(url)
  for (const change of changes) await sql(change)
  const pool = new pg.Pool({ connectionString: url, max: CONNECTIONS })
  pool.on("error", () => {})
  world.keep(() => pool.end())
  const ctx = workerContextOf(url, databaseOf(pool))
  const accounts: Account[] = []
  for (let i = 0; i < ACCOUNTS; i++) accounts.push(await createAccount(sql, ctx))
  let ran = 0

  async function accept(account: Account): Promise<string> {
    const end_user_ref = `customer-${account.sent++ % CUSTOMERS}`
    const body = { space: account.space, end_user_ref, text: "Where is my order?" }
    const { made } = await acceptTurn(ctx, account.credential, { idempotencyKey: `churn-${ran++}`, body })
    return made.turn_id
  }

  async function advance(turnId: string, { webhookId, sent }: Account): Promise<void> {
    const result = await advanceTurn(ctx, turnId)
    if (result !== "settled") throw new Error(`The turn ${turnId} was not settled: ${result}.`)
    if (sent % PER_DISPATCH === 0) await dispatchWebhook(ctx, webhookId)
  }

  async function each<Item>(items: Iterable<Item>, work: (item: Item) => Promise<void>): Promise<void> {
    const queue = items[Symbol.iterator]()
    const worker = async () => {
      for (let next = queue.next(); !next.done; next = queue.next()) await work(next.value)
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, worker))
  }

  const taken = (count: number) => Array.from({ length: count }, (_, n) => accounts[(ran + n) % ACCOUNTS] as Account)

  return {
    sql,
    count: () => ran,
    async runTurns(count) {
      const half = Math.floor(count / 2)
      await each(taken(half), async (account) => advance(await accept(account), account))
      const waiting: [string, Account][] = []
      await each(taken(count - half), async (account) => void waiting.push([await accept(account), account]))
      await each(waiting, ([turnId, account]) => advance(turnId, account))
      await each(accounts, async ({ webhookId }) => void (await dispatchWebhook(ctx, webhookId)))
    },
  }
}

/** Statements that are planned once for each connection, as a pooler with prepared statements has them. */
export function databaseOf(pool: pg.Pool): Database {
  const names = new Map<string, string>()
  const types = {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      oid === INT8 ? Number : pg.types.getTypeParser(oid, format as "text"),
  }
  const created = createdOnce((text) => pool.query(text))
  return databaseOver(async ({ sql: text, parameters }) => {
    const creating = created(text)
    if (creating) return creating.then(() => ({ rows: [] }))
    const name = names.get(text) ?? `s${names.size}`
    names.set(text, name)
    const { rows, rowCount } = await pool.query({ name, text, values: [...parameters], types } as pg.QueryConfig)
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  })
}

export function workerContextOf(url: string, db: Database) {
  const env = parseBaseEnv({
    DATABASE_URL: url,
    UPSTASH_REDIS_REST_URL: "http://127.0.0.1:1",
    UPSTASH_REDIS_REST_TOKEN: "none",
    FILES: {},
    QSTASH_URL: "http://127.0.0.1:1",
    QSTASH_TOKEN: "none",
    CALLBACKS_URL: "http://127.0.0.1:1",
    SECRETS_KEYS: `churn:${randomBytes(32).toString("base64")}`,
    LOG_LEVEL: "silent",
  })
  const received: typeof fetch = async () => new Response("ok")
  const base = createContext(env, () => {}, { fetch: received })
  const outbound = createOutbound({ fetch: received, clock: base.clock, policy: base.urlPolicy })
  // The queue is not used, because this process runs each turn itself.
  const redis = createRedis(env, base.meter)
  return { ...base, db, redis, outbound, turnFetch: received, variables: {}, queue: noQueue }
}

async function createAccount(sql: Sql, ctx: ReturnType<typeof workerContextOf>): Promise<Account> {
  const now = new Date()
  const userId = await createUser(sql, {})
  await topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
  const caps = { daily_usd: 1e6, end_user_daily_usd: 1e6 }
  const { value } = await createApiKey(sql, { userId, brand: "turnpike", name: "bench", caps, now })
  const credential = parseApiKey(value) as KeyCredential
  const space = await createSpace(ctx, credential, { title: "Bench", model: "rehearsal/standard" })
  const webhook = await createWebhook(ctx, credential, { url: "https://hooks.example.com/in", ping: true })
  return { credential, space: space.made.slug, webhookId: webhook.made.webhook.webhook_id, sent: 0 }
}
