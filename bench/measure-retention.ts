import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"
import { DAY_MS } from "../src/base/time.ts"
import { reconcileNow } from "../src/billing/reconcile.ts"
import { directContext } from "../src/ops/direct.ts"
import { systemClock } from "../src/platform/clock.ts"
import { type Database, databaseOver } from "../src/platform/db.ts"
import { sweepRetention } from "../src/retention/sweep-retention.ts"
import type { Options } from "./options.ts"
import { createBenchAccount, createSite, type Site, type Sql } from "./site.ts"
import { round, secondsSince, timesOf } from "./statistics.ts"
import { storeAccounts } from "./store-books.ts"
import { ROWS_OF_TURN, storeRetained } from "./store-retained.ts"
import type { BenchWorld } from "./world.ts"

const DATA = { text_days: 7, step_days: 7, event_days: 30, delivery_days: 30, attempt_days: 7 }
/** How long turns are sent, at a time. */
const SECONDS = { full: 20, smoke: 1 }
const TURNS_A_MINUTE = 1_200
const CLIENTS = 8

/**
 * Measures the sweep of retention without its pauses, with this many stored rows that are all due. Turns are accepted
 * and settled before it, and while it runs. Throws if one of these is lost, or if the reconciliation finds something.
 */
export async function measureRetention(world: BenchWorld, { stored, size }: Options) {
  const site = await createSite(world, "retention", {
    runs: true,
    accounts: 0,
    settings: { synchronous_commit: "off" },
  })
  const { sql } = site
  const turns = Math.round(stored / ROWS_OF_TURN)
  const began = performance.now()
  const ends = new Date(Date.now() - 40 * DAY_MS)
  const { accounts } = await storeAccounts(sql, turns, ends)
  await storeRetained(sql, { turns, accounts, ends })
  // The ids of stored accounts are the first ones.
  site.accounts.push(await createBenchAccount(world.version.seed, sql, site.runtime.url, {}))
  for (const [key, days] of Object.entries(DATA))
    await sql("insert into settings (key, value) values ($1, $2)", [key, days])
  await sql("vacuum analyze")
  const filled = { ...(await countRows(sql)), gigabytes: await sizeOf(sql), seconds: secondsSince(began) }

  const quiet = await sendTurns(world, site, SECONDS[size])
  const client = new pg.Client({ connectionString: site.databaseUrl })
  await client.connect()
  world.keep(() => client.end())
  const swept = sweepAll(client)
  const busy: number[] = []
  let isOver = false
  const over = swept.finally(() => {
    isOver = true
  })
  while (!isOver) busy.push(...(await sendTurns(world, site, SECONDS[size])))
  const { seconds, statements, longest, deleted } = await over
  const left = await countRows(sql)
  const again = performance.now()
  await sweepRetention(contextOver(directContext(client).db))
  const idleMs = round(performance.now() - again)
  const open = await waitForEnds(sql)
  const { findings } = await reconcileAll(client)
  const sent = quiet.length + busy.length
  const [done] = await sql<{ turns: number }>(
    "select count(*)::integer as turns from turns where state = 'done' and created_at > now() - interval '1 day'",
  )
  if (findings > 0 || open > 0 || done?.turns !== sent)
    throw new Error(
      `A promise was broken: ${findings} findings, ${open} open turns, ${done?.turns} of ${sent} turns done.`,
    )
  const rows = Object.values(deleted).reduce((sum, count) => sum + count, 0)
  return {
    filled,
    "rows deleted or cleared": rows,
    seconds: round(seconds),
    "rows a second": Math.round(rows / seconds),
    statements,
    "longest statement": longest,
    "run without due data, ms": idleMs,
    left: left,
    "accepting a turn, quiet, ms": timesOf(quiet),
    "accepting a turn while it runs, ms": timesOf(busy),
    "turns while it ran": busy.length,
    findings,
  }
}

async function sendTurns({ load }: BenchWorld, { runtime, accounts }: Site, seconds: number): Promise<number[]> {
  const job = { url: runtime.url, accounts, prefix: `retention-${Date.now()}`, clients: CLIENTS }
  const { samples } = await load.run({ ...job, seconds, perMinute: TURNS_A_MINUTE })
  return samples
}

/** Runs the sweep until nothing is left. A mark that was not finished is not taken again at once. */
async function sweepAll(client: pg.Client) {
  const before = await countRows(async (query) => (await client.query(query)).rows)
  const { db, times } = timed(client)
  const began = performance.now()
  const rows = () => countRows(async (query) => (await client.query(query)).rows)
  for (let left = 1; left > 0; left = Object.values(await rows()).reduce((sum, count) => sum + count, 0)) {
    if ((await sweepRetention(contextOver(db))).looked === 0) await pause(1000)
  }
  const seconds = (performance.now() - began) / 1000
  const after = await countRows(async (query) => (await client.query(query)).rows)
  const deleted = Object.fromEntries(Object.entries(before).map(([name, count]) => [name, count - (after[name] ?? 0)]))
  const longest = times.toSorted((a, b) => b.ms - a.ms)[0]
  return {
    seconds,
    statements: times.length,
    deleted,
    longest: { ...longest, p50: timesOf(times.map(({ ms }) => ms)).p50 },
  }
}

/** A database over one connection that notes how long each statement takes. */
function timed(client: pg.Client): { db: Database; times: { ms: number; of: string }[] } {
  const times: { ms: number; of: string }[] = []
  const db = databaseOver(async ({ sql, parameters }) => {
    const began = performance.now()
    const { rows, rowCount } = await client.query(sql, [...parameters])
    const of = `${/\.(\w+)\(/.exec(sql)?.[1] ?? "select"} ${parameters.find((value) => value === "text" || /^(step|event|delivery|attempt)$/.test(String(value))) ?? ""}`
    times.push({ ms: round(performance.now() - began), of: of.trim() })
    return { rows, numAffectedRows: BigInt(rowCount ?? 0) }
  })
  return { db, times }
}

const noFiles = { delete: async () => {} } as unknown as Parameters<typeof sweepRetention>[0]["files"]

const contextOver = (db: Database) => ({ db, clock: systemClock, files: noFiles, log: console.error })

async function reconcileAll(client: pg.Client): Promise<{ findings: number }> {
  const { findings } = await reconcileNow({ ...directContext(client), log: () => {} })
  return { findings: Number(findings) }
}

/** The rows that the sweep deletes, and the turns whose texts it clears. Without turns of the last day. */
async function countRows(sql: Sql): Promise<Record<string, number>> {
  const of = (table: string) => `(select count(*) from ${table})::integer as ${table}`
  const [row] = await sql<Record<string, number>>(
    `select (select count(*) from turns where text <> '' and created_at < now() - interval '1 day')::integer as texts,
      (select count(*) from turn_steps where created_at < now() - interval '1 day')::integer as turn_steps,
      (select count(*) from turn_events where created_at < now() - interval '1 day')::integer as turn_events,
      ${of("webhook_deliveries")}, ${of("webhook_attempts")},
      (select count(*) from events where created_at < now() - interval '1 day')::integer as events`,
  )
  return row ?? {}
}

async function sizeOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ gigabytes: number }>(
    "select round(pg_database_size(current_database()) / 1e9, 1)::float as gigabytes",
  )
  return row?.gigabytes ?? 0
}

/** Waits until no turn is open, for at most a minute. Returns the number of open turns. */
async function waitForEnds(sql: Sql): Promise<number> {
  for (let tries = 0; ; tries++) {
    const [row] = await sql<{ open: number }>("select count(*)::integer as open from open_turns")
    const open = row?.open ?? 0
    if (open === 0 || tries === 60) return open
    await new Promise((resolve) => setTimeout(resolve, 1000))
  }
}
