import pg from "pg"
import type { KeyCredential } from "../src/actor/actor.ts"
import { parseApiKey } from "../src/keys/api-key.ts"
import { createApiKey, createUser, topUp } from "../src/ops/seed.ts"
import { runTurns } from "../src/runs/runner.ts"
import { createSpace } from "../src/spaces/create-space.ts"
import { acceptTurn } from "../src/turns/accept-turn.ts"
import { databaseOf, workerContextOf } from "./churn-site.ts"
import type { Options } from "./options.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

/** For the server: no page is written whole, and no background work comes between. */
export const WAL_SETTINGS = {
  full_page_writes: "off",
  autovacuum: "off",
  checkpoint_timeout: "1d",
  max_wal_size: "4GB",
}

const ACCOUNTS = 4
const CUSTOMERS = 40
const SIZES = { full: { warm: 400, measured: 320 }, smoke: { warm: 16, measured: 16 } }
const CREDIT_MICROS = 1e13

/**
 * Counts the records and bytes of WAL of a plain turn (no webhook, cap or tool) by relation and kind, from accept to
 * its end. Turns run one at a time, each with its own runner, and then in groups of 16 that one runner claims.
 */
export async function measureWal(world: BenchWorld, { size }: Options) {
  const { warm, measured } = SIZES[size]
  const { url, sql } = await createSiteDatabase(world, "wal")
  const hasInspector = await sql("create extension pg_walinspect").then(
    () => true,
    () => false,
  )
  if (!hasInspector) return { skipped: "The server has no pg_walinspect." }
  await world.version.fillDatabase(url)
  const turns = await createTurns(world, url, sql)
  const answers: Record<string, unknown> = {}
  for (const [name, group] of Object.entries({ alone: 1, "16 at once": 16 })) {
    await turns.run(warm, group)
    const from = await positionOf(sql)
    await turns.run(measured, group)
    const kinds = await kindsOf(sql, from, await positionOf(sql))
    const sum = (column: "records" | "bytes") =>
      round(kinds.reduce((total, kind) => total + kind[column], 0) / measured, 1)
    answers[name] = { records: sum("records"), bytes: round(sum("bytes"), 0) }
    for (const { relation, kind, records, bytes } of kinds) {
      if (records * 50 < measured) continue
      answers[`${name}: ${relation} ${kind}`] = {
        records: round(records / measured, 2),
        bytes: round(bytes / measured, 0),
      }
    }
  }
  return answers
}

async function createTurns(world: BenchWorld, url: string, sql: Sql) {
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on("error", () => {})
  world.keep(() => pool.end())
  const base = workerContextOf(url, databaseOf(pool))
  const ctx = { ...base, waitingCalls: () => 0, calls: () => 0, forTurn: () => ({ ctx, leave() {} }) } as Parameters<
    typeof runTurns
  >[0]
  const now = new Date()
  const accounts: { credential: KeyCredential; space: string }[] = []
  for (let i = 0; i < ACCOUNTS; i++) {
    const userId = await createUser(sql, {})
    await topUp(sql, { userId, micros: CREDIT_MICROS, reason: "operator_topup", actor: "bench", now })
    const { value } = await createApiKey(sql, { userId, brand: "turnpike", name: "bench", caps: {}, now })
    const credential = parseApiKey(value) as KeyCredential
    const space = await createSpace(ctx, credential, { title: "Bench", model: "rehearsal/standard" })
    accounts.push({ credential, space: space.made.slug })
  }
  let sent = 0
  async function accept() {
    const n = sent++
    const { credential, space } = accounts[n % ACCOUNTS] as (typeof accounts)[number]
    const customer = Math.floor(n / ACCOUNTS) % CUSTOMERS
    const body = { space, end_user_ref: `customer-${customer}`, text: "Where is my order?" }
    await acceptTurn(ctx, credential, { idempotencyKey: `wal-${n}`, body })
  }
  return {
    async run(count: number, group: number): Promise<void> {
      const ended = sent + count
      while (sent < ended) {
        for (let i = 0; i < group; i++) await accept()
        await runTurns(ctx, { message: `msg-${sent}`, retried: 0 })
      }
      const [open] = await sql<{ n: number }>("select count(*)::integer as n from open_turns")
      if (open?.n !== 0) throw new Error(`${open?.n} turns were not settled.`)
    },
  }
}

async function positionOf(sql: Sql): Promise<string> {
  // Asynchronous commits reach the log a moment later. The switch writes all of them.
  await sql("select pg_switch_wal()")
  const [row] = await sql<{ lsn: string }>("select pg_current_wal_lsn()::text as lsn")
  return row?.lsn ?? "0/0"
}

/** Counts the records of this database between two positions, by kind and by the relation of their first block. */
async function kindsOf(sql: Sql, from: string, to: string) {
  return sql<{ relation: string; kind: string; records: number; bytes: number }>(
    `with blocks as (
       select b.start_lsn, min(c.relname) as relation from pg_get_wal_block_info($1, $2, false) b
       left join pg_class c on pg_relation_filenode(c.oid) = b.relfilenode
       where b.block_id = 0 group by 1)
     select coalesce(b.relation, '-') as relation, r.resource_manager || ' ' || r.record_type as kind, count(*)::integer as records,
       sum(r.record_length)::integer as bytes
     from pg_get_wal_records_info($1, $2) r left join blocks b using (start_lsn)
     where r.resource_manager not in ('XLOG', 'Standby')
     group by 1, 2 order by 4 desc`,
    [from, to],
  )
}
