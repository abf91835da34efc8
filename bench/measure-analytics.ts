import pg from "pg"
import { RELEASE } from "../src/platform/procedures.ts"
import { reportReads } from "./analytics-reports.ts"
import { analyticsReads, type MeasuredRead } from "./analytics-statements.ts"
import { moneyReads } from "./money-reports.ts"
import type { Options } from "./options.ts"
import { prepareReports } from "./report-statement.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { round } from "./statistics.ts"
import { storeUsage } from "./store-usage.ts"
import type { BenchWorld } from "./world.ts"

const USERS = 100_000
const SPACES = 50_000
/** Model calls for each row of the ledger. */
const CALLS_OF_ENTRY = 5
const TAIL = 20_000
const BATCH = 5_000
const REPEATS = 7

interface Measured {
  rows: number
  ms: number
  /** Of the query that is written by hand. */
  written?: number
}

/**
 * Reads of analytics over so many stored model calls (`--stored`), and over a tenth of them, first with 20,000 turns and ledger rows in the
 * queues, then with none: the fastest of 7 in milliseconds, as a client of the database sees it; beside a query that is written by
 * hand over the same rollups, and beside the tenth.
 */
export async function measureAnalytics(world: BenchWorld, { stored }: Options) {
  const few = await measureOver(world, "few", Math.round(stored / 10))
  const many = await measureOver(world, "many", stored)
  const lines = (many.queued as Table).concat(many.rolled).map(([name, { rows, ms, written }], at) => {
    const tenth = few.queued.concat(few.rolled)[at]?.[1].ms ?? Number.NaN
    const byHand = written === undefined ? "-" : round(ms / written, 2)
    return [name, { rows, ms, "by hand": byHand, "of a tenth": round(ms / tenth, 2) }] as const
  })
  return { stored: many.stored, "rollers, rows/s": many.rollers, ...Object.fromEntries(lines) }
}

type Table = [name: string, Measured][]

async function measureOver(world: BenchWorld, name: string, calls: number) {
  const { url, sql } = await createSiteDatabase(world, name)
  await world.version.fillDatabase(url)
  const ends = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
  const began = performance.now()
  const ledgerRows = Math.round(calls / CALLS_OF_ENTRY)
  await storeUsage(sql, { calls, ledgerRows, users: USERS, spaces: SPACES, tail: TAIL, ends })
  await prepareReports(sql, ends)
  const seconds = round((performance.now() - began) / 1000, 0)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const measure = async (tail: string) => {
    const table: Table = []
    for (const read of [...analyticsReads(ends), ...(await reportReads(sql, ends)), ...(await moneyReads(sql, ends))])
      table.push([`${read.name}, ${tail}`, await timeOf(client, read)])
    return table
  }
  try {
    await keepBalances(client, ends)
    const queued = await measure(`${TAIL} queued`)
    const rollers = { usage: await rollAll(client, "roll_usage"), ledger: await rollAll(client, "roll_ledger") }
    await client.query("vacuum analyze usage_queue, ledger_queue")
    await keepBalances(client, ends)
    return { stored: { ...(await sizeOf(sql)), seconds }, rollers, queued, rolled: await measure("none queued") }
  } finally {
    await client.end()
  }
}

/** Keeps the balances of all days that are over, as the sweep does by and by. */
async function keepBalances(client: pg.Client, ends: Date): Promise<void> {
  const moment = new Date(ends.getTime() - 3_600_000)
  for (let more = true; more; ) {
    const answer = await client.query(`select ${RELEASE}.close_balances($1, 90) as more`, [moment])
    more = answer.rows[0].more
  }
  await client.query("vacuum analyze balance_days")
}

/** Rows of the queue in a second, in the batches of the sweep. */
async function rollAll(client: pg.Client, name: string): Promise<number> {
  const began = performance.now()
  let rows = 0
  for (let moved = BATCH; moved === BATCH; rows += moved) {
    const answer = await client.query(`select ${RELEASE}.${name}($1) as moved`, [BATCH])
    moved = answer.rows[0].moved
  }
  return round(rows / ((performance.now() - began) / 1000), 0)
}

async function timeOf(
  client: pg.Client,
  { sql, written, params = [], writtenParams = params }: MeasuredRead,
): Promise<Measured> {
  const { rows, ms } = await fastest(client, sql, params)
  return { rows, ms, ...(written && { written: (await fastest(client, written, writtenParams)).ms }) }
}

async function fastest(client: pg.Client, sql: string, params: unknown[]) {
  const times: number[] = []
  let rows = 0
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    const began = performance.now()
    rows = (await client.query(sql, params)).rows.length
    times.push(performance.now() - began)
  }
  return { rows, ms: round(Math.min(...times), 1) }
}

async function sizeOf(sql: Sql) {
  const [row] = await sql<{ calls: number; gigabytes: number }>(
    `select ((select count(*) from usage) + (select count(*) from chat_calls))::integer as calls,
       round(pg_database_size(current_database()) / 1e9, 1)::float as gigabytes`,
  )
  return row
}
