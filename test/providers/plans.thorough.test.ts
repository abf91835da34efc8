import { afterAll, beforeAll, expect, test } from "vitest"
import { PROVIDER_POLICY } from "../../src/providers/policies.ts"
import { readCapacity } from "../../src/providers/read-capacity.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { effortOf } from "../harness/plans.ts"
import { storeAccount } from "../harness/provider-accounts.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const ACCOUNTS = 20
const DAYS = 90
/** The snapshots of a window in an hour. */
const PER_HOUR = 3

let world: World
let admin: Admin
let client: TestClient
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount()
  const ids: string[] = []
  for (let n = 0; n < ACCOUNTS; n++) ids.push(await storeAccount(world, { pool: n % 2 ? "main" : "alt-pool" }))
  await world.sql(
    `insert into quota_snapshots select id, 'unified', seconds, 10, null, t
     from generate_series($1::timestamptz - $2::integer * interval '1 day', $1, interval '20 minutes') t,
       unnest(array[18000, 604800]) seconds, unnest($3::text[]) id`,
    [world.clock.now(), DAYS, ids],
  )
  for (const [table, column, unit] of [
    ["account_hours", "hour", "hour"],
    ["account_days", "day", "day"],
  ]) {
    await world.sql(
      `insert into ${table} (${column}, subscription_id, model_calls, tokens_input, tokens_cached, tokens_output, cost_credit_micros,
         billed_credit_micros, last_call_at)
       select date_trunc('${unit}', t, 'UTC'), id, 1, 1, 0, 1, 1, 1, t
       from generate_series($1::timestamptz - $2::integer * interval '1 day', $1, interval '1 ${unit}') t, unnest($3::text[]) id`,
      [world.clock.now(), DAYS, ids],
    )
  }
  await world.sql("vacuum analyze quota_snapshots, account_hours, account_days")
})
afterAll(() => world.close())

test.each([1, 72, 2160])("A capacity report of %i hours reads the index and never all snapshots", async (hours) => {
  const { points, thinnedPoints, spendRows } = PROVIDER_POLICY
  for (const provider of [null, "main"] as const) {
    const effort = await effortOf(world, client, (ctx) =>
      readCapacity(ctx, { kind: "session", token: admin.token, test: false }, { hours, provider }),
    )
    const read = effort.rowsOf("quota_snapshots")
    console.log(
      `${hours} hours of ${provider ?? "both"}: ${read} entries, ${effort.pages} pages, ${effort.ms.toFixed(1)} ms`,
    )
    expect(effort.scans).not.toContain("quota_snapshots")
    // The counted rows, the shown rows, and one entry for each window.
    expect(read).toBeLessThanOrEqual(2 * points + thinnedPoints + 2 * ACCOUNTS + 2)
    // A step reads the newest snapshot of its last hour, or all of that hour: the planner chooses.
    if (hours === 2160) expect(read, "of 260,000").toBeLessThanOrEqual(points + PER_HOUR * thinnedPoints)
    expect(effort.rowsOf("account_hours") + effort.rowsOf("account_days")).toBeLessThanOrEqual(
      2 * spendRows + 2 * DAYS * ACCOUNTS,
    )
  }
})
