import { afterAll, beforeAll, expect, test } from "vitest"
import { createPerson } from "../harness/auth.ts"
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
  expect(await overview()).toEqual({
    people: { total: 1, active_1_day: 1, active_7_days: 1, active_30_days: 1 },
    spaces: { total: 0 },
    turns: { queued: 0, running: 0, oldest_queued_at: null },
    money: { balance_usd: 0, held_usd: 0 },
    reconciliation: null,
  })
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
  expect(await overview()).toEqual({
    people: { total: 6, active_1_day: 2, active_7_days: 3, active_30_days: 4 },
    spaces: { total: 1 },
    turns: { queued: 2, running: 0, oldest_queued_at },
    money: { balance_usd: 7.5, held_usd: 0.75 },
    reconciliation: {
      reconciliation_id: pass.reconciliation_id,
      scope: "all",
      findings: 0,
      started_at: pass.started_at,
      finished_at: pass.finished_at,
    },
  })
})
