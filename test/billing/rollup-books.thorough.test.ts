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
    `select space_id::float8 as space, user_id::float8 as user, key_id as key, (finished_at at time zone 'UTC')::date::text as day,
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

test.each(Object.keys(rollupPlants({ space: 0, user: 0, key: "", day: "", hour: "" })))(
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

test.each([
  // A day is compared with the turns, a month with its days, and a sum with its months.
  ["end_user_days", ["end_user_days", "end_user_months"]],
  ["end_user_months", ["end_user_months", "end_user_sums"]],
  ["end_user_sums", ["end_user_sums"]],
])("A wrong number of a customer in %s is found, and only there and above", async (table, found) => {
  const add = (by: number) => world.sql(`update ${table} set done = done + ${by}, took_us = took_us + ${by}`)
  await add(3)
  try {
    const { findings } = await reconcileAsAdmin(admin)
    const subjects = found.flatMap((name) =>
      ["done", "took_us"].map((column) => `${name} ${facts.user} false customer-1 ${column}`),
    )
    expect(findings.map(({ counter }) => counter?.subject).sort()).toEqual(subjects.sort())
    const hourly = (await reconcileRecent(world, admin)).findings.map(({ counter }) => counter?.subject?.split(" ")[0])
    expect(new Set(hourly)).toEqual(new Set(table === "end_user_days" ? ["end_user_days"] : []))
  } finally {
    await add(-3)
  }
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})

test("A lost row of a rollup is reported with all its amounts", async () => {
  const [row] = await world.sql<{ row: object }>("select to_jsonb(m) as row from model_days m")
  await world.sql("delete from model_days")
  const { findings } = await reconcileAsAdmin(admin)
  expect(findings).toHaveLength(8)
  expect(
    findings.every(({ counter, found_usd }) => counter?.subject.startsWith("model_days ") && found_usd === null),
  ).toBe(true)
  await world.sql("insert into model_days select * from jsonb_populate_record(null::model_days, $1::jsonb)", [
    JSON.stringify(row?.row),
  ])
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})

test("A customer's lost day is found, also that of a test turn", async () => {
  const testing = await world.createAccount({ test: true })
  await testing.runTurn({ space: await testing.space() })
  await sweepAnalytics(contextOf(world))
  await world.advance(DAY_MS)
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
  await world.sql("create table lost_days as select * from end_user_days where test")
  await world.sql("delete from end_user_days where test")
  const { findings } = await reconcileAsAdmin(admin)
  await world.sql("insert into end_user_days select * from lost_days")
  await world.sql("drop table lost_days")
  const subjects = findings.map(({ counter }) => counter?.subject)
  expect(subjects).toContain(`end_user_days ${testing.userId} true customer-1 turns`)
  expect((await reconcileAsAdmin(admin)).findings).toEqual([])
})
