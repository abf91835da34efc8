import { afterEach, beforeEach, expect, test } from "vitest"
import { ANALYTICS_POLICY } from "../../src/analytics/policies.ts"
import { sweepAnalytics } from "../../src/analytics/roll.ts"
import { numbersOf, ROLLUPS, SUMS_BEFORE } from "../../src/analytics/rollups.ts"
import { contextOf } from "../harness/context.ts"
import { createRandom } from "../harness/random.ts"
import { differences } from "../harness/rollups.ts"
import { serveFromPools, usageSequence } from "../harness/usage-sequence.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
const policy = { ...ANALYTICS_POLICY }
beforeEach(async () => {
  world = await createWorld()
  await serveFromPools(world)
})
afterEach(async () => {
  Object.assign(ANALYTICS_POLICY, policy)
  await world.close()
})

test("The comparison finds a changed number in any rollup and a row that is queued twice", async () => {
  const roller = await usageSequence(world, createRandom("seen"))
  for (let at = 0; at < 30; at++) await roller.next()
  await roller.finish()
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('model_call', 'n', 'c', now())",
  )
  Object.assign(ANALYTICS_POLICY, policy)
  await sweepAnalytics(contextOf(world))
  const places = [...ROLLUPS, ...SUMS_BEFORE].flatMap((family) => {
    const numbers = numbersOf(family)
    return numbers.map((column) => [family.name, column] as const)
  })
  const ledger = [
    ...(["entries", "given_credit_micros", "taken_credit_micros"] as const).map(
      (column) => ["ledger_days", column] as const,
    ),
    ...(["ledger_id", "balance_after_credit_micros", "debits"] as const).map(
      (column) => ["ledger_user_days", column] as const,
    ),
    ...(["ledger_id", "balance_after_credit_micros"] as const).map((column) => ["ledger_users", column] as const),
    ["error_days", "failures"] as const,
  ]
  for (const [table, column] of [...places, ...ledger]) {
    // Uses any row, then restores it; an update may move it to another place.
    const change = (by: number, row: string) =>
      world.sql<{ row: string }>(
        `update ${table} set ${column} = ${column} + ${by} where ctid = ${row} returning ctid::text as row`,
      )
    const [changed] = await change(1, `(select max(ctid) from ${table})`)
    expect(await differences(world), `${table}.${column}`).toMatchObject([{ family: table }])
    await change(-1, `'${changed?.row}'`)
  }
  expect(await differences(world)).toEqual([])
  await world.sql(
    "insert into ledger_queue select ledger_id, user_id, amount_credit_micros, balance_after_credit_micros, created_at, reason from ledger limit 1",
  )
  expect(await differences(world)).not.toEqual([])
  await world.sql("delete from ledger_queue")
})
