import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "../../src/platform/db.ts"
import { TURN_WAIT_POLICY } from "../../src/turns/policies.ts"
import { sweepWaits } from "../../src/waits/sweep-waits.ts"
import { quietContextOf } from "../harness/context.ts"
import { effortOf } from "../harness/plans.ts"
import { plantWaits } from "../harness/waiting-plants.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
let context: ReturnType<typeof quietContextOf>
beforeAll(async () => {
  world = await createWorld()
  context = quietContextOf(world)
})
afterAll(() => world.close())

const TABLES = ["waiting_turns", "waiting_accounts", "turns", "open_turns", "turn_calls"]

test("With 100,000 waiting turns and nothing due, the sweep takes two statements and reads no row", async () => {
  await plantWaits(world, context, { count: 1, needed: 10_000, daily: 5_000 })
  await world.sql(
    `insert into waiting_turns (turn_id, user_id, test, reason, since, expires_at, bound_by, counter, needed_credit_micros, wanted_credit_micros)
     select 'turn_planted' || n, 1000000 + n % 1000, false, 'limit', $1::timestamptz, $1::timestamptz + interval '20 days', 'key_daily', 'k' || n % 7, 1000, 1000
     from generate_series(1, 100000) n`,
    [world.clock.now()],
  )
  await world.sql(
    `insert into waiting_accounts (user_id, test, due_at) select 1000000 + n, false, $1::timestamptz + interval '1 day' from generate_series(0, 999) n`,
    [world.clock.now()],
  )
  await world.sql("vacuum analyze waiting_turns")
  await sweepWaits(context)
  await world.plan([])
  expect(await sweepWaits(context)).toEqual({ woken: 0, expired: 0, failed: 0 })
  const statements = await world.calls()
  expect(statements).toHaveLength(2)
  const client = await world.createAccount({ usd: 0 })
  const efforts = [
    await effortOf(world, client, sweepWaits),
    await effortOf(world, client, ({ db, clock }) =>
      call(db, "due_accounts", { passed: [], limit: TURN_WAIT_POLICY.accounts, moment: clock.now() }),
    ),
  ]
  const read = efforts.map(({ rowsOf }) => TABLES.reduce((rows, table) => rows + rowsOf(table), 0))
  console.log(`100,000 waiting turns, nothing due: 2 statements, rows read ${read.join(" and ")}`)
  for (const rows of read) expect(rows).toBeLessThan(3)
  for (const { scans } of efforts) expect(scans).not.toContain("waiting_turns")
})
