import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepWaits } from "../../src/waits/sweep-waits.ts"
import { quietContextOf } from "../harness/context.ts"
import { plantWaits } from "../harness/waiting-plants.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let context: ReturnType<typeof quietContextOf>
beforeAll(async () => {
  world = await createWorld()
  context = quietContextOf(world)
})
afterAll(() => world.close())

/** The rows that scans of these tables have read so far. */
const readRows = async () => {
  await world.sql("select pg_stat_force_next_flush()")
  const rows = await world.sql<{ name: string; rows: number }>(
    `select relname as name, (coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as rows from pg_stat_user_tables
     where relname in ('waiting_turns', 'waiting_accounts', 'turns', 'open_turns', 'turn_calls')`,
  )
  return Object.fromEntries(rows.map(({ name, rows: read }) => [name, read]))
}

test("With 100,000 waiting turns and nothing due, the sweep takes two statements and reads no row", async () => {
  await plantWaits(world, context, { count: 1, needed: 10_000, daily: 5_000 })
  await world.sql(
    `insert into waiting_turns (turn_id, user_id, test, reason, since, expires_at, bound_by, counter, needed_credit_micros, wanted_credit_micros)
     select 'turn_planted' || n, 1000000 + n % 1000, false, 'limit', $1::timestamptz, $1::timestamptz + interval '20 days', 'key_daily', 'k' || n % 7, 1000, 1000
     from generate_series(1, 100000) n`,
    [world.clock.now()],
  )
  await world.sql(
    `insert into waiting_accounts (user_id, due_at) select 1000000 + n, $1::timestamptz + interval '1 day' from generate_series(0, 999) n`,
    [world.clock.now()],
  )
  await world.sql("vacuum analyze waiting_turns")
  await sweepWaits(context)
  const before = await readRows()
  await world.plan([])
  expect(await sweepWaits(context)).toEqual({ woken: 0, expired: 0, failed: 0 })
  const statements = (await world.calls()).length
  const after = await readRows()
  const read = Object.fromEntries(Object.entries(after).map(([name, rows]) => [name, rows - (before[name] ?? 0)]))
  console.log(`100,000 waiting turns, nothing due: ${statements} statements, rows read ${JSON.stringify(read)}`)
  expect(statements).toBe(2)
  expect(Object.values(read).reduce((sum, rows) => sum + rows, 0)).toBeLessThan(10)
})
