import { afterAll, beforeAll, expect, test } from "vitest"
import { storeUsage } from "../../bench/store-usage.ts"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { contextOf } from "../harness/context.ts"
import { balanceDifferences, differencesFromRaw } from "../harness/rollups.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("The benchmark's stored usage equals raw records, before and after the roll-up", async () => {
  const ends = new Date(Math.ceil(world.clock.ms() / 86_400_000) * 86_400_000)
  await storeUsage(world.sql, {
    calls: 6_000,
    ledgerRows: 1_200,
    users: 200,
    spaces: 100,
    tail: 50,
    ledgerTail: 50,
    ends,
  })
  expect(await differencesFromRaw(world, RELEASE)).toEqual([])
  const ctx = contextOf(world)
  const swept = await sweepAnalytics(ctx)
  expect(swept.usage).toBeGreaterThanOrEqual(50)
  expect(swept).toMatchObject({ ledger: 50, marks: 0 })
  expect(await world.sql("select 1 from usage_queue union all select 1 from ledger_queue")).toEqual([])
  expect(await differencesFromRaw(world, RELEASE)).toEqual([])
  // The finished days among the last 400.
  expect(swept.days).toBe(399)
  for (const [back, window] of [
    [2, 30],
    [3, 1],
    [100, 90],
    [250, 7],
  ] as const) {
    const day = new Date(ends.getTime() - back * 86_400_000).toISOString().slice(0, 10)
    expect(await world.sql("select 1 from balance_days where day = $1::date and brand = ''", [day])).toHaveLength(90)
    expect(await balanceDifferences(world, RELEASE, day, window)).toEqual([])
  }
  const [seen] = await world.sql("select count(*)::int as marks, min(until) > '2000-01-01' as finite from usage_marks")
  expect(seen).toEqual({ marks: 13, finite: true })
})
