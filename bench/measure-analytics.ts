import pg from "pg"
import { RELEASE } from "../src/platform/procedures.ts"
import { analyticsReads, type MeasuredRead } from "./analytics-statements.ts"
import type { Options } from "./options.ts"
import { createSiteDatabase, type Sql } from "./site.ts"
import { round } from "./statistics.ts"
import { storeUsage } from "./store-usage.ts"
import type { BenchWorld } from "./world.ts"

const USERS = 100_000
const SPACES = 50_000
const LEDGER_SHARE = 5
const TAILS = [1_000, 20_000]
const REPEATS = 7

/**
 * Reads of analytics over so many stored model calls (`--stored`), and over a tenth of them: the fastest of 7 in milliseconds, as the
 * client of the database sees it; beside a query written by hand over the same rollups, and beside the tenth.
 */
export async function measureAnalytics(world: BenchWorld, { stored }: Options) {
  const lines: Record<string, unknown> = {}
  for (const tail of TAILS) {
    const few = await timesOf(world, `few_${tail}`, Math.round(stored / 10), tail)
    const many = await timesOf(world, `many_${tail}`, stored, tail)
    lines[`stored, tail ${tail}`] = many.stored
    for (const [name, { rows, ms, written }] of Object.entries(many.reads)) {
      lines[`${name}, tail ${tail}`] = {
        rows,
        ms,
        "by hand": written === undefined ? "-" : round(ms / written, 2),
        "of a tenth": round(ms / (few.reads[name]?.ms ?? Number.NaN), 2),
      }
    }
  }
  return lines
}

async function timesOf(world: BenchWorld, name: string, calls: number, tail: number) {
  const { url, sql } = await createSiteDatabase(world, name)
  await world.version.fillDatabase(url)
  const ends = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
  const began = performance.now()
  await storeUsage(sql, {
    calls,
    ledgerRows: Math.round(calls / LEDGER_SHARE),
    users: USERS,
    spaces: SPACES,
    tail,
    ends,
  })
  const seconds = round((performance.now() - began) / 1000, 0)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const reads: Record<string, { rows: number; ms: number; written?: number }> = {}
    for (const read of analyticsReads(ends)) reads[read.name] = await timeOf(client, read)
    return { stored: { ...(await sizeOf(sql)), seconds }, reads }
  } finally {
    await client.end()
  }
}

async function timeOf(client: pg.Client, { sql, written, params = [] }: MeasuredRead) {
  const { rows, ms } = await fastest(client, sql, params)
  return { rows, ms, ...(written && { written: (await fastest(client, written, params)).ms }) }
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
  return { release: RELEASE, ...row }
}
