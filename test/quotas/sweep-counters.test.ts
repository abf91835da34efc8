import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepCounters } from "../../src/quotas/sweep-counters.ts"
import { createWatched } from "../harness/account-events.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const ALL_CAPS = { daily_usd: 10, window_usd: 10, window_seconds: 60, end_user_daily_usd: 10, end_user_monthly_usd: 10 }
const DAY_MS = 86_400_000

test("A backlog is deleted in batches, and counters of open periods are kept", async () => {
  const { userId, spend } = await createWatched(world, {
    caps: { ...ALL_CAPS, window_usd: null, window_seconds: null },
  })
  await spend(0.01)
  const before = new Date(world.clock.ms() - 100 * DAY_MS).toISOString()
  await world.sql(
    `insert into spend_counters (user_id, kind, subject, period, starts_at, spent_credit_micros, reserved_credit_micros)
     select $1, 'end_user', n::text, 'day', $2, 1, 0 from generate_series(1, 12000) n`,
    [userId, before],
  )
  await world.plan([])
  await world.sweep()
  const deletes = (await world.calls()).filter(({ label }) => label.includes("forget_counters"))
  await world.clearFaults()
  expect(deletes.length, "three for the backlog, one for months").toBe(4)
  const rows = await world.sql("select 1 from spend_counters where user_id = $1", [userId])
  expect(rows).toHaveLength(3)
})

test("Counters of days and windows are kept for 40 days, and counters of months for 400", async () => {
  const { userId, spend } = await createWatched(world, { caps: ALL_CAPS })
  // At noon on the 20th, the day started 0.5 days ago and the month 19.5 days ago.
  await spend(0.01)
  const keptAfter = async (days: number) => {
    await world.advance(days * DAY_MS)
    // Without the sweep of analytics, which would catch up on all these days.
    await sweepCounters(contextOf(world))
    const rows = await world.sql<{ period: string }>(
      "select period from spend_counters where user_id = $1 order by period",
      [userId],
    )
    return rows.map(({ period }) => period)
  }
  expect(await keptAfter(39.4)).toEqual(["day", "day", "month", "window"])
  expect(await keptAfter(0.2)).toEqual(["month", "window"])
  expect(await keptAfter(0.5)).toEqual(["month"])
  expect(await keptAfter(340)).toEqual(["month"])
  expect(await keptAfter(0.5)).toEqual([])
})
