import { readFile } from "node:fs/promises"
import pg from "pg"
import { reportReads } from "./analytics-reports.ts"
import { analyticsReads, type MeasuredRead } from "./analytics-statements.ts"
import { FILLING } from "./measure-books.ts"
import { moneyReads } from "./money-reports.ts"
import type { Options, Size } from "./options.ts"
import { renewSession } from "./report-statement.ts"
import { round } from "./statistics.ts"
import { STORED, type StoredAnalytics, sqlOver, storedAnalytics } from "./stored-analytics.ts"
import type { BenchWorld } from "./world.ts"

/** Server settings that prevent vacuums during the measurement and keep all pages in memory. */
export const ANALYTICS_SETTINGS = { ...FILLING, autovacuum: "off", shared_buffers: "2GB" }

/**
 * Calls before the measurement. After more than five, PostgreSQL can use generic plans, as on long-lived connections.
 */
const OWN = { full: { warming: 6, repeats: 9 }, smoke: { warming: 0, repeats: 1 } }
const WRITTEN = { full: { warming: 1, repeats: 3 }, smoke: { warming: 0, repeats: 1 } }

interface Times {
  rows: number
  ms: number
  /** The lowest CPU time of the backend. */
  cpu: number
}

interface Measured extends Times {
  /** The times of the hand-written query. */
  written?: Times
}

type Table = [name: string, Measured][]

/**
 * Measures reads of analytics over the stored model calls (`--stored`) and over a tenth, with and without queued rows,
 * and equivalent hand-written queries. `ms` is the median of 9 calls after 6 others. `cpu` is the lowest CPU time of
 * the backend, which other load hardly affects.
 */
export async function measureAnalytics(world: BenchWorld, { stored, fill, size }: Options) {
  const few = await storedAnalytics(world, Math.round(stored / 10), size)
  const many = await storedAnalytics(world, stored, size)
  if (fill) return { few: few.facts, many: many.facts }
  const [ofFew, ofMany] = [await measureBoth(few, size), await measureBoth(many, size)]
  const lines = ofMany.map(([name, { rows, ms, cpu, written }], at) => {
    const tenth = ofFew[at]?.[1].cpu ?? Number.NaN
    const byHand = written && { "by hand": written.cpu, "× by hand": round(cpu / written.cpu, 2) }
    return [name, { rows, ms, cpu, ...byHand, tenth, "× tenth": round(cpu / tenth, 2) }] as const
  })
  return { few: few.facts, many: many.facts, ...Object.fromEntries(lines) }
}

const measureBoth = async (stored: StoredAnalytics, size: Size): Promise<Table> => [
  ...(await measure(stored.rolled, stored.ends, { tail: "none queued", size })),
  ...(await measure(stored.queued, stored.ends, { tail: `${STORED[size].tail} queued`, size })),
]

async function measure(url: string, ends: Date, { tail, size }: { tail: string; size: Size }): Promise<Table> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const sql = sqlOver(client)
  try {
    await renewSession(sql, ends)
    const reads = [...(await reportReads(sql, ends)), ...(await moneyReads(sql, ends)), ...analyticsReads(ends)]
    const [backend] = await sql<{ pid: number }>("select pg_backend_pid() as pid")
    const table: Table = []
    for (const read of reads) table.push([`${read.name}, ${tail}`, await timeOf(client, backend?.pid ?? 0, read, size)])
    return table
  } finally {
    await client.end()
  }
}

async function timeOf(
  client: pg.Client,
  pid: number,
  { sql, written, params = [], writtenParams = params }: MeasuredRead,
  size: Size,
): Promise<Measured> {
  const own = await timesOf(client, pid, sql, params, OWN[size])
  return { ...own, ...(written && { written: await timesOf(client, pid, written, writtenParams, WRITTEN[size]) }) }
}

async function timesOf(
  client: pg.Client,
  pid: number,
  sql: string,
  params: unknown[],
  { warming, repeats }: { warming: number; repeats: number },
): Promise<Times> {
  const [times, cpus]: [number[], number[]] = [[], []]
  let rows = 0
  for (let repeat = -warming; repeat < repeats; repeat++) {
    const [cpu, began] = [await cpuMs(pid), performance.now()]
    rows = (await client.query(sql, params)).rows.length
    if (repeat < 0) continue
    times.push(performance.now() - began)
    cpus.push((await cpuMs(pid)) - cpu)
  }
  return { rows, ms: median(times), cpu: round(Math.min(...cpus), 1) }
}

const median = (values: number[]) => round(values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN, 1)

/** The CPU time of a process in milliseconds; NaN if it is unknown, for example on a remote server. */
async function cpuMs(pid: number): Promise<number> {
  const said = await readFile(`/proc/${pid}/schedstat`, "utf8").catch(() => "NaN")
  return Number(said.split(" ")[0]) / 1e6
}
