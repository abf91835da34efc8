import type pg from "pg"
import {
  addDatabase,
  applySchema,
  databaseExists,
  dropDatabase,
  withClient,
  withDatabase,
} from "../src/local/databases.ts"
import { RELEASE } from "../src/platform/procedures.ts"
import type { Size } from "./options.ts"
import { prepareReports } from "./report-statement.ts"
import type { Sql } from "./site.ts"
import { round, secondsSince } from "./statistics.ts"
import { storeUsage } from "./store-usage.ts"
import type { BenchWorld } from "./world.ts"

/** The number of model calls per ledger row. */
const CALLS_OF_ENTRY = 5
const CALLS_OF_TURN = 1.6
/** `tail`: the number of queued turns. The ledger rows of the same time are queued too. */
export const STORED = {
  full: { users: 100_000, spaces: 50_000, tail: 20_000 },
  smoke: { users: 200, spaces: 100, tail: 20 },
}
const BATCH = 5_000
/** The window of the balance reports, in days. */
export const WINDOW_DAYS = 30

/** Two databases with the same usage. In one the tail is queued, and in the other all of it is rolled up. */
export interface StoredAnalytics {
  queued: string
  rolled: string
  /** The midnight after the last day. */
  ends: Date
  facts: {
    calls: number
    gigabytes: number
    "filled in, s": number
    "rolled, rows/s": { usage: number; ledger: number }
  }
}

/** Creates both databases, or finds them from an earlier run and updates their procedures. */
export async function storedAnalytics(world: BenchWorld, calls: number, size: Size): Promise<StoredAnalytics> {
  const [queued, rolled, unfinished] = [`usage_${calls}_queued`, `usage_${calls}_rolled`, `usage_${calls}`]
  const urlOf = (name: string) => withDatabase(world.postgresUrl, name)
  if (!(await databaseExists(world.postgresUrl, rolled))) {
    for (const name of [unfinished, queued]) await dropDatabase(world.postgresUrl, name)
    await withClient(await addDatabase(world.postgresUrl, queued), async (client) => {
      await world.version.fillDatabase(urlOf(queued))
      await fill(client, calls, size)
    })
    await withClient(await addDatabase(world.postgresUrl, unfinished, queued), rollAll)
    await withClient(world.postgresUrl, (client) => client.query(`alter database ${unfinished} rename to ${rolled}`))
  }
  for (const name of [queued, rolled]) await applySchema(urlOf(name))
  return withClient(urlOf(rolled), async (client) => {
    const { rows } = await client.query("select ends, facts from bench_facts")
    return { queued: urlOf(queued), rolled: urlOf(rolled), ...rows[0] }
  })
}

/** Runs statements on one connection. */
export const sqlOver =
  (client: pg.Client): Sql =>
  async (text, params = []) =>
    (await client.query(text, params)).rows

async function fill(client: pg.Client, calls: number, size: Size): Promise<void> {
  const sql = sqlOver(client)
  const ends = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
  const began = performance.now()
  const ledgerRows = Math.round(calls / CALLS_OF_ENTRY)
  const ledgerTail = Math.round(STORED[size].tail * (CALLS_OF_TURN / CALLS_OF_ENTRY))
  await storeUsage(sql, { calls, ledgerRows, ...STORED[size], ledgerTail, ends })
  await prepareReports(sql, ends)
  await keepBalances(client, ends)
  const seconds = secondsSince(began)
  await sql(
    `create table bench_facts as select $1::timestamptz as ends, jsonb_build_object('filled in, s', $2::integer,
       'calls', (select count(*) from model_calls),
       'gigabytes', round(pg_database_size(current_database()) / 1e9, 1)) as facts`,
    [ends, seconds],
  )
}

async function rollAll(client: pg.Client): Promise<void> {
  const sql = sqlOver(client)
  const rateOf = async (roller: Parameters<typeof rollQueue>[1]) => {
    const began = performance.now()
    const rows = await rollQueue(sql, roller)
    return round(rows / ((performance.now() - began) / 1000), 0)
  }
  const rates = { usage: await rateOf("roll_turns"), ledger: await rateOf("roll_ledger") }
  const { rows } = await client.query(
    "update bench_facts set facts = facts || jsonb_build_object('rolled, rows/s', $1::jsonb) returning ends",
    [rates],
  )
  await client.query("vacuum analyze turn_ends, ledger_queue")
  await keepBalances(client, rows[0].ends)
}

/** Stores the balances of all past days, as the sweep does over time, up to the measured window. */
async function keepBalances(client: pg.Client, ends: Date): Promise<void> {
  const moment = new Date(ends.getTime() - 3_600_000)
  for (let more = true; more; ) {
    const answer = await client.query(`select ${RELEASE}.close_balances($1, $2) as more`, [moment, WINDOW_DAYS])
    more = answer.rows[0].more
  }
  await client.query("vacuum analyze balance_days")
}

/** Moves all rows of a queue into the rollups, in the batches of the sweep. Returns the number of rows. */
export async function rollQueue(sql: Sql, roller: "roll_turns" | "roll_ledger"): Promise<number> {
  let rows = 0
  for (let moved = BATCH; moved === BATCH; rows += moved) {
    const [row] = await sql<{ moved: number }>(`select ${RELEASE}.${roller}($1)::integer as moved`, [BATCH])
    moved = row?.moved ?? 0
  }
  return rows
}
