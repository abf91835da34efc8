import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { type Admin, reconcileAsAdmin, reconcileRecent, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { type RollupFacts, rollupPlants } from "../harness/plants-rollups.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000

let world: World
let admin: Admin
let facts: RollupFacts
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  const client = await world.createAccount()
  await client.runTurn({ space: await client.space(), text: "[use input=100 output=30]\nhello" })
  const [row] = await world.sql<RollupFacts>(
    `select space_id::float8 as space, user_id::float8 as user, (finished_at at time zone 'UTC')::date::text as day,
       date_trunc('hour', finished_at, 'UTC')::text as hour from turns`,
  )
  facts = row as RollupFacts
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) select 'model_call', 'n', 'c', finished_at from turns",
  )
  await sweepAnalytics(contextOf(world))
  await world.advance(DAY_MS)
  // Turns that ended since are still in the queue, and the pass does not check today.
  await client.runTurn({ space: await client.space() })
  await reconcileAsAdmin(admin)
})
afterAll(() => world.close())

test.each(Object.keys(rollupPlants({ space: 0, user: 0, day: "", hour: "" })))(
  "A %s that differs is the only finding",
  async (name) => {
    const plant = rollupPlants(facts)[name] as NonNullable<ReturnType<typeof rollupPlants>[string]>
    const add = (by: number) =>
      world.sql(`update ${plant.table} set ${plant.column} = ${plant.column} + ${by} where ${plant.where}`)
    const [{ was } = { was: 0 }] = await world.sql<{ was: number }>(
      `select ${plant.column}::float8 as was from ${plant.table} where ${plant.where}`,
    )
    await add(plant.by)
    const found = (report: Awaited<ReturnType<typeof reconcileAsAdmin>>) =>
      report.findings.map(({ kind, counter, expected_usd: expected, found_usd: found }) => ({
        kind,
        subject: counter?.subject,
        by: Math.round(((found ?? 0) - (expected ?? 0)) * 1e7),
        kept: found,
      }))
    const subject = [plant.table, plant.key, plant.column].join(" ")
    const isSum = plant.where.startsWith("until")
    const main = { kind: "rollup", subject, by: plant.by, kept: (isSum ? plant.by : was + plant.by) / 1e7 }
    const sums = (plant.sums ?? []).map((table) => {
      return {
        kind: "rollup",
        subject: [table, plant.key, plant.column].join(" "),
        by: -plant.by,
        kept: -plant.by / 1e7,
      }
    })
    try {
      expect(found(await reconcileAsAdmin(admin))).toEqual(
        [...sums, main].sort((a, b) => (a.subject < b.subject ? -1 : 1)),
      )
      // The hourly pass checks the last day, and not the sums of older days.
      if (!isSum) expect(found(await reconcileRecent(world, admin))).toEqual([main])
    } finally {
      await add(-plant.by)
    }
    expect((await reconcileAsAdmin(admin)).findings).toEqual([])
  },
)

test("A lost row of a rollup is reported with all its amounts", async () => {
  const [row] = await world.sql<{ row: object }>("select to_jsonb(m) as row from model_days m")
  await world.sql("delete from model_days")
  const { findings } = await reconcileAsAdmin(admin)
  expect(findings).toHaveLength(7)
  expect(
    findings.every(({ counter, found_usd }) => counter?.subject.startsWith("model_days ") && found_usd === null),
  ).toBe(true)
  await world.sql("insert into model_days select * from jsonb_populate_record(null::model_days, $1::jsonb)", [
    JSON.stringify(row?.row),
  ])
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})
