import { RELEASE } from "../src/platform/procedures.ts"
import { type ChurnSite, createChurnSite } from "./churn-site.ts"
import type { Options } from "./options.ts"
import { startCpuMeter } from "./processes.ts"
import { round } from "./statistics.ts"
import type { BenchWorld } from "./world.ts"

const WITHOUT = ["drop trigger turns_ended_queued on turns", "drop trigger ledger_queued on ledger"]
const BATCH = { full: 500, smoke: 20 }
const TABLES = [
  "turn_ends",
  "ledger_queue",
  "usage_hours",
  "space_hours",
  "space_days",
  "user_days",
  "space_sums",
  "ledger_users",
]

/**
 * Measures the cost of the analytics queues for a turn: plain turns in two databases, one without the queue triggers,
 * in alternating batches. After each batch the roller empties the queues. The results are the CPU ms of the server for
 * a turn, and the sizes of the tables.
 */
export async function measureQueues(world: BenchWorld, { turns, size }: Options) {
  const batch = BATCH[size]
  const queued = await createChurnSite(world, "queued", [])
  const unqueued = await createChurnSite(world, "unqueued", WITHOUT)
  const batches: Record<"with" | "without" | "rolled", number[]> = { with: [], without: [], rolled: [] }
  for (let ran = 0; ran < turns; ran += batch) {
    batches.with.push(await cpuOf(world, batch, () => queued.runTurns(batch)))
    batches.without.push(await cpuOf(world, batch, () => unqueued.runTurns(batch)))
    batches.rolled.push(await cpuOf(world, batch, () => roll(queued)))
  }
  return {
    turns: queued.count(),
    "ms of CPU for a turn": Object.fromEntries(Object.entries(batches).map(([name, spent]) => [name, median(spent)])),
    ...Object.fromEntries((await tablesOf(queued)).map(({ table, ...row }) => [table, row])),
  }
}

/** The CPU ms of the server for one turn of the batch. */
async function cpuOf({ postgresPids }: BenchWorld, batch: number, work: () => Promise<unknown>): Promise<number> {
  const meter = await startCpuMeter({ postgres: postgresPids })
  await work()
  return ((await meter()).cpu.postgres ?? Number.NaN) * (1000 / batch)
}

const roll = ({ sql }: ChurnSite) => sql(`select ${RELEASE}.roll_turns(5000), ${RELEASE}.roll_ledger(5000)`)

const median = (values: number[]) => round(values.sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN, 2)

async function tablesOf({ sql }: ChurnSite) {
  await sql("select pg_stat_force_next_flush()")
  return sql<{ table: string; mb: number; live: number; dead: number; deleted: number; vacuums: number }>(
    `select relname as table, round(pg_total_relation_size(relid) / 1e6, 2)::float8 as mb, n_live_tup::integer as live,
       n_dead_tup::integer as dead, n_tup_del::integer as deleted, autovacuum_count::integer as vacuums
     from pg_stat_user_tables where relname = any ($1) order by array_position($1, relname::text)`,
    [TABLES],
  )
}
