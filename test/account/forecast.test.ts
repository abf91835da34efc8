import { afterAll, beforeAll, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY = 86_400_000

let world: World
beforeAll(async () => {
  world = await createWorld()
  // A day before the middle of a month, so that all of it is in one month.
  await world.advance(Date.parse("2026-06-10T00:00:00Z") - world.clock.ms())
})
afterAll(() => world.close())

async function account(usd = 6) {
  const client = await world.createAccount({ usd })
  const space = await client.space()
  return {
    client,
    spend: (output: number) => client.runTurn({ space, text: `[use input=10 output=${output}]\nhello` }),
    forecast: async () => (await (await world.signIn(client.userId)).json("GET", "/api/account/forecast"))[1],
  }
}

const usd = (amount: number) => Math.round(amount * 1e7) / 1e7

test("A new account has no forecast, and after three days one from their average, rolled up or not", async () => {
  const { spend, forecast } = await account()
  expect(await forecast()).toMatchObject({
    spent_usd: 0,
    expected_usd: null,
    lasts_until: null,
    pace: null,
    credits: [],
  })
  let each = 0
  for (let day = 0; day < 3; day++) {
    each = (await spend(50_000)).billed_cost_usd
    expect(each).toBeGreaterThan(0)
    expect(await forecast()).toMatchObject({ spent_usd: usd((day + 1) * each), pace: null })
    await world.advance(DAY)
  }
  const now = new Date(world.clock.ms())
  const rest = 30 - now.getUTCDate() + 1 - (world.clock.ms() % DAY) / DAY
  const before = await forecast()
  expect(before.pace).toMatchObject({ method: "average", days: 3, daily_cap_usd: null })
  expect(before.pace.weekdays.map((one: { usd: number }) => one.usd)).toEqual(new Array(7).fill(each))
  expect(before).toMatchObject({ month: "2026-06", spent_usd: usd(3 * each), next_month_usd: usd(31 * each) })
  expect(before.expected_usd).toBeCloseTo(3 * each + rest * each, 6)
  expect(before.lasts_days).toBe(Math.ceil(before.balance_usd / each - (1 - (world.clock.ms() % DAY) / DAY)))
  await world.sweep()
  const { as_of: _as, ...after } = await forecast()
  expect(before).toMatchObject({ ...after, lasts_until: before.lasts_until })
})

test("A refunded turn and a test turn cost nothing in the forecast", async () => {
  const { client, spend, forecast } = await account()
  const admin = await signInAdmin(world)
  const { billed_cost_usd: each } = await spend(50_000)
  const { turn_id } = await spend(50_000)
  expect((await forecast()).spent_usd).toBe(usd(2 * each))
  await admin.json("POST", `/api/admin/turns/${turn_id}/refund`, { note: "Sorry." })
  expect((await forecast()).spent_usd).toBe(each)
  const tester = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await tester.runTurn({ space: await tester.space(), text: "hello" })
  expect((await forecast()).spent_usd).toBe(each)
})

test("The credit and the daily cap of a plan are part of the forecast", async () => {
  const { client, spend, forecast } = await account()
  await world.sql(`insert into settings (key, value) values ('plans', $1::jsonb)`, [
    JSON.stringify({ pro: { label: "Pro", included_credit_usd: 2, daily_cap_usd: 0.02 } }),
  ])
  let each = 0
  for (let day = 0; day < 3; day++) {
    each = (await spend(50_000)).billed_cost_usd
    await world.advance(DAY)
  }
  const plain = await forecast()
  await world.sql(
    `insert into subscriptions (user_id, plan, starts_at, credited_periods, created_at, updated_at)
     values ($1, 'pro', $2, 1, $2, $2)`,
    [client.userId, new Date(world.clock.ms() - DAY)],
  )
  const capped = await forecast()
  expect(each).toBeGreaterThan(0.02)
  expect(capped.pace).toMatchObject({ daily_cap_usd: 0.02, weekdays: plain.pace.weekdays })
  expect(capped.expected_usd).toBeLessThan(plain.expected_usd)
  expect(capped.next_month_usd).toBe(usd(31 * 0.02))
  // The credit of each month is more than the cap lets it spend.
  expect([plain.lasts_days, capped.lasts_days]).toEqual([expect.any(Number), null])
  const due = new Date(world.clock.ms() - DAY)
  due.setUTCMonth(due.getUTCMonth() + 1)
  expect(capped.credits[0]).toEqual({ date: due.toISOString().slice(0, 10), usd: 2 })
  await world.sql(
    `insert into subscriptions (user_id, plan, alongside, starts_at, created_at, updated_at) values ($1, 'pro', true, $2, $2, $2)`,
    [client.userId, world.clock.now()],
  )
  expect((await forecast()).credits, "a second subscription of the plan").toEqual(capped.credits)
  await world.sql("delete from settings where key = 'plans'")
})
