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

test("the overview counts people, spaces and turns, sums money, and names the last reconciliation", async () => {
  const none = { queued: 0, running: 0, oldest_queued_at: null }
  expect(await overview()).toEqual({ counts: null, turns: none, reconciliation: null })
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
    turns: { queued: 2, running: 0, oldest_queued_at },
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
