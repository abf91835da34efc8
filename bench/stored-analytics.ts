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
import { prepareReports } from "./report-statement.ts"
import type { Sql } from "./site.ts"
import { round, secondsSince } from "./statistics.ts"
import { storeUsage } from "./store-usage.ts"
import type { BenchWorld } from "./world.ts"

const USERS = 100_000
const SPACES = 50_000
/** Model calls for each row of the ledger. */
const CALLS_OF_ENTRY = 5
const CALLS_OF_TURN = 1.6
/** Turns that are queued; and the rows of the ledger of the same time. */
export const TAIL = 20_000
const BATCH = 5_000
/** That of the reports of balances. */
export const WINDOW_DAYS = 30

/** What is known of two databases with the same usage: in one the tail is queued, in the other all is rolled. */
export interface StoredAnalytics {
  queued: string
  rolled: string
  /** The midnight behind the last day. */
  ends: Date
  facts: {
    calls: number
    gigabytes: number
    "filled in, s": number
    "rolled, rows/s": { usage: number; ledger: number }
  }
}

/** Makes both, or finds them where a former run kept them; their procedures are today's. */
export async function storedAnalytics(world: BenchWorld, calls: number): Promise<StoredAnalytics> {
  const [queued, rolled, unfinished] = [`usage_${calls}_queued`, `usage_${calls}_rolled`, `usage_${calls}`]
  const urlOf = (name: string) => withDatabase(world.postgresUrl, name)
  if (!(await databaseExists(world.postgresUrl, rolled))) {
    for (const name of [unfinished, queued]) await dropDatabase(world.postgresUrl, name)
    await withClient(await addDatabase(world.postgresUrl, queued), async (client) => {
      await world.version.fillDatabase(urlOf(queued))
      await fill(client, calls)
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

/** Statements on one connection. */
export const sqlOver =
  (client: pg.Client): Sql =>
  async (text, params = []) =>
    (await client.query(text, params)).rows

async function fill(client: pg.Client, calls: number): Promise<void> {
  const sql = sqlOver(client)
  const ends = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000)
  const began = performance.now()
  const ledgerRows = Math.round(calls / CALLS_OF_ENTRY)
  const ledgerTail = Math.round(TAIL * (CALLS_OF_TURN / CALLS_OF_ENTRY))
  await storeUsage(sql, { calls, ledgerRows, users: USERS, spaces: SPACES, tail: TAIL, ledgerTail, ends })
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

/** Keeps the balances of all days that are over, as the sweep does by and by; for windows up to the one that is measured. */
async function keepBalances(client: pg.Client, ends: Date): Promise<void> {
  const moment = new Date(ends.getTime() - 3_600_000)
  for (let more = true; more; ) {
    const answer = await client.query(`select ${RELEASE}.close_balances($1, $2) as more`, [moment, WINDOW_DAYS])
    more = answer.rows[0].more
  }
  await client.query("vacuum analyze balance_days")
}

/** Moves all of a queue into its rollups, in the batches of the sweep. Returns how many rows it has moved. */
export async function rollQueue(sql: Sql, roller: "roll_turns" | "roll_ledger"): Promise<number> {
  let rows = 0
  for (let moved = BATCH; moved === BATCH; rows += moved) {
    const [row] = await sql<{ moved: number }>(`select ${RELEASE}.${roller}($1)::integer as moved`, [BATCH])
    moved = row?.moved ?? 0
  }
  return rows
}
