import pg from "pg"
import { RECONCILIATION_POLICY } from "../src/billing/policies.ts"
import { reconcileNow, sweepBooks } from "../src/billing/reconcile.ts"
import { systemClock } from "../src/platform/clock.ts"
import { type Database, databaseOver } from "../src/platform/db.ts"
import type { Options } from "./options.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { round, secondsSince } from "./statistics.ts"
import { storeAccounts, storeTurns } from "./store-books.ts"
import type { BenchWorld } from "./world.ts"

const NEW_TURNS = { full: 10_000, smoke: 200 }
/** Server settings that speed up storing millions of rows. */
export const FILLING = { maintenance_work_mem: "512MB", max_wal_size: "8GB" }

/**
 * Measures the reconciliation after a year with the stored turns: two passes over all history, and an hourly pass after
 * 10,000 new turns. The results are the seconds of all statements, and of the longest one, which checks a slice.
 */
export async function measureBooks(world: BenchWorld, { stored: turns, size }: Options) {
  const { url, sql } = await createSiteDatabase(world, "books")
  await world.version.fillDatabase(url)
  const added = NEW_TURNS[size]
  const began = performance.now()
  const ends = new Date()
  const old = await storeAccounts(sql, turns, ends)
  const stored = await storeTurns(sql, old, turns)
  await sql("vacuum analyze")
  const filled = { ...(await sizeOf(sql)), accounts: stored.accounts, seconds: secondsSince(began) }

  const client = new pg.Client({ connectionString: url })
  await client.connect()
  world.keep(() => client.end())
  const first = await measurePass(client, systemClock.now, (ctx) => reconcileNow(ctx))
  const again = await measurePass(client, systemClock.now, (ctx) => reconcileNow(ctx))
  const hourLater = () => new Date(ends.getTime() + RECONCILIATION_POLICY.everyMs + (Date.now() - ends.getTime()))
  const stepMs = RECONCILIATION_POLICY.everyMs / added
  await storeTurns(sql, { ...stored, begins: new Date(ends.getTime() - stored.turns * stepMs), stepMs }, added)
  const hourly = await measurePass(client, hourLater, async (ctx) => {
    while (!(await sweepBooks(ctx)).finished);
  })
  const idle = await measurePass(
    client,
    () => new Date(hourLater().getTime() + 2 * RECONCILIATION_POLICY.everyMs),
    async (ctx) => {
      while (!(await sweepBooks(ctx)).finished);
    },
  )
  const found = await sql<{ findings: number }>("select findings::integer from reconciliations order by started_at")
  if (found.some(({ findings }) => findings > 0))
    throw new Error("The reconciliation reported findings in sound books.")
  return {
    filled,
    "all history": first,
    "all history, again": again,
    [`hourly, ${added} new`]: hourly,
    "hourly, none new": idle,
  }
}

/** The seconds of a pass's statements by phase, and of its longest statement. */
async function measurePass(
  client: pg.Client,
  now: () => Date,
  run: (ctx: { db: Database; clock: typeof systemClock; log: () => void }) => Promise<unknown>,
) {
  const spent: Record<string, number> = {}
  let slices = 0
  let longest = { ms: 0, phase: "", rows: 0 }
  const db = databaseOver(async ({ sql, parameters }) => {
    const began = performance.now()
    const { rows, rowCount } = await client.query(sql, [...parameters])
    const ms = performance.now() - began
    if (sql.includes("check_slice")) {
      const [, phase, , rows] = parameters as [string, string, string, number]
      slices++
      spent[phase] = (spent[phase] ?? 0) + ms
      if (ms > longest.ms) longest = { ms: round(ms, 0), phase, rows }
    } else spent.other = (spent.other ?? 0) + ms
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  })
  await run({ db, clock: { ...systemClock, now }, log: () => {} })
  const { rows } = await client.query(
    `select scope, accounts::integer, ledger_rows::integer, turns::integer, counters::integer
     from reconciliations order by started_at desc limit 1`,
  )
  const seconds = (ms: number) => round(ms / 1000)
  const { scope, ...looked_at } = rows[0]
  const total = Object.values(spent).reduce((sum, ms) => sum + ms, 0)
  const phases = Object.fromEntries(Object.entries(spent).map(([phase, ms]) => [phase, seconds(ms)]))
  return { scope, looked_at, seconds: seconds(total), of_these: phases, slices, longest }
}

async function sizeOf(sql: Sql) {
  const [row] = await sql<{ turns: number; gigabytes: number }>(
    `select (select count(*) from turns)::integer as turns, round(pg_database_size(current_database()) / 1e9, 1)::float as gigabytes`,
  )
  return { turns: row?.turns, gigabytes: row?.gigabytes }
}
