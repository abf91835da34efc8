import { afterAll, beforeAll, expect, test } from "vitest"
import { sweepOverview } from "../../src/system/get-overview.ts"
import { authContextOf, createPerson } from "../harness/auth.ts"
import { type Admin, reconcileAsAdmin, signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const overview = async () => (await admin.json("GET", "/api/admin/overview"))[1]

test("The overview counts people, spaces and turns, sums money, and names the last reconciliation", async () => {
  const today = { done: 0, failed: 0, cancelled: 0 }
  const idle = {
    accounts: 0,
    usable: 0,
    cooling: 0,
    suspended: 0,
    needs_login: 0,
    contained: 0,
    disabled: 0,
    in_flight: 0,
  }
  const pools = ["main", "alt-pool"].map((pool) => ({ pool, ...idle, recovers_at: null, windows: [] }))
  const nothing = { today_usd: 0, days_7_usd: 0, days_30_usd: 0 }
  const quiet = { pools, billed: nothing, refunded: nothing, cost: nothing, margin: nothing, errors: [] }
  const waiting = ["limit", "approval", "result"].map((reason) => ({ for: reason, turns: 0, oldest_at: null }))
  const none = { queued: 0, running: 0, waiting, blocked: 0, oldest_queued_at: null, today }
  expect(await overview()).toEqual({ counts: null, turns: none, reconciliation: null, ...quiet })
  for (const days of [20, 3, 0]) {
    const { userId } = await createPerson(world)
    await world.signIn(userId)
    await world.signIn(userId)
    await world.sql("update sessions set last_seen_at = $1 where user_id = $2", [
      new Date(world.clock.ms() - days * DAY_MS - 1000),
      userId,
    ])
  }
  const client = await world.createAccount({ usd: 5 })
  await world.createAccount({ usd: 2.5 })
  const space = await client.space()
  await client.sendTurn({ space, max_cost_usd: 0.5 })
  const oldest_queued_at = world.clock.now().toISOString()
  await world.advance(1000)
  await client.sendTurn({ space, max_cost_usd: 0.25 })
  await world.settled()
  const pass = await reconcileAsAdmin(admin)
  await sweepOverview(authContextOf(world))
  expect(await overview()).toEqual({
    counts: {
      people: { total: 6, active_1_day: 2, active_7_days: 3, active_30_days: 4 },
      spaces: { total: 1 },
      money: { balance_usd: 7.5, held_usd: 0.75 },
      counted_at: world.clock.now().toISOString(),
    },
    turns: { ...none, queued: 2, oldest_queued_at },
    ...quiet,
    reconciliation: {
      reconciliation_id: pass.reconciliation_id,
      scope: "all",
      findings: 0,
      started_at: pass.started_at,
      finished_at: pass.finished_at,
    },
  })
  await world.advance(60_000)
  await world.createAccount()
  await world.sweep()
  expect((await overview()).counts).toMatchObject({
    people: { total: 7 },
    money: { balance_usd: 17.5 },
    counted_at: world.clock.now().toISOString(),
  })
})

test("Turns, bills, costs and margins of today, 7 and 30 days are exact before and after the roll-up, without test data; failures cover one day", async () => {
  const prices = { provider: { input: 0.7, cached: 0.07, output: 3 }, markup: { percent: 20 } }
  const path = `/api/admin/model-catalog/${encodeURIComponent("rehearsal/standard")}/prices`
  expect((await admin.json("PUT", path, prices))[0]).toBe(200)
  const client = await world.createAccount()
  const space = await client.space()
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await world.drain()
  const before = await overview()
  const micros: [at: number, billed: number][] = []
  const run = async (text: string) => {
    const { billed_cost_usd } = await client.runTurn({ space, text })
    micros.push([world.clock.ms(), Math.round((billed_cost_usd ?? 0) * 1e7)])
  }
  const within = (days: number) => {
    const first = Math.floor(world.clock.ms() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS
    return micros.filter(([at]) => at >= first).reduce((sum, [, billed]) => sum + billed, 0) / 1e7
  }
  const expectMargins = async () => {
    const { billed, cost, margin } = await overview()
    for (const [days, period] of [
      [1, "today_usd"],
      [7, "days_7_usd"],
      [30, "days_30_usd"],
    ] as const) {
      const first = new Date(Math.floor(world.clock.ms() / DAY_MS) * DAY_MS - (days - 1) * DAY_MS)
      const [calls] = await world.sql<{ cost: number }>(
        `select coalesce(sum(coalesce(provider_credit_micros, cost_credit_micros)), 0)::float8 as cost
         from model_calls where not test and settled_at >= $1`,
        [first],
      )
      expect(cost[period]).toBe((calls?.cost ?? 0) / 1e7)
      expect(margin[period]).toBeCloseTo(billed[period] - cost[period], 7)
    }
  }
  const expectExact = async () => {
    await expectMargins()
    const { billed } = await overview()
    expect(billed.today_usd).toBeCloseTo(within(1) + (micros.length < 3 ? before.billed.today_usd : 0), 7)
    if (micros.length < 3) return
    expect(billed.days_7_usd).toBeCloseTo(within(7), 7)
  }
  await run("[use input=100 output=50]")
  await expectExact()
  await world.sweep()
  await expectExact()
  // Later than all turns that the previous test ended.
  await world.advance(40 * DAY_MS)
  admin = await signInAdmin(world)
  for (const days of [25, 5, 0]) {
    await run("[use input=100 output=50]")
    await run("[fail OUT_OF_STOCK]")
    await expectExact()
    if (days === 5) await world.sweep()
    if (days > 0) await world.advance((days === 25 ? 20 : 5) * DAY_MS)
  }
  await tests.runTurn({ space: await tests.space() })
  const { turns, billed, cost, margin } = await overview()
  expect(cost.today_usd).toBeGreaterThan(0)
  expect(margin.today_usd).toBeGreaterThan(0)
  expect(turns.today).toEqual({ done: 1, failed: 1, cancelled: 0 })
  expect(billed.days_30_usd).toBeCloseTo(within(30), 7)
  await world.sweep()
  expect(await overview()).toMatchObject({ billed, cost, margin })
  await world.sql(
    "insert into infrastructure_errors (kind, name, code, created_at) values ('container_exec', 'a', 'X', $1), ('container_exec', 'a', 'X', $2)",
    [world.clock.now(), new Date(world.clock.ms() - 25 * 3_600_000)],
  )
  expect((await overview()).errors).toEqual([{ kind: "container_exec", count: 1 }])
})
