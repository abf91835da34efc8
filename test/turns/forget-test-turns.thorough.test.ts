import { afterAll, beforeAll, expect, test } from "vitest"
import { SETTINGS } from "../../src/settings/registry.ts"
import { sweepTestTurns } from "../../src/turns/forget-test-turns.ts"
import { authContextOf } from "../harness/auth.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const DAY_MS = 86_400_000

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const sweep = () => sweepTestTurns(authContextOf(world))

/** The texts and data that the database keeps of a turn, without its numbers. */
async function keptOf(turnId: string) {
  const [kept] = await world.sql<{ text: string; result: string | null; events: number; steps: number }>(
    `select t.text, t.result, (select count(*)::int from turn_log e where e.turn_id = t.turn_id) as events,
      (select count(*)::int from turn_steps p where p.turn_id = t.turn_id) as steps from turns t where t.turn_id = $1`,
    [turnId],
  )
  return kept
}

async function said(client: TestClient) {
  const { turn_id } = await client.runTurn({ space: await client.space(), text: "[think 10 ms] a secret of ours" })
  return turn_id
}

test("A test turn is deleted after the number of days in the setting, and a live turn never is", async () => {
  const [live, testing] = [await world.createAccount(), await world.createAccount({ test: true })]
  const [kept, old] = [await said(live), await said(testing)]
  const before = await keptOf(kept)
  await world.advance(SETTINGS.test_data_days.default * DAY_MS)
  expect(await sweep()).toEqual({ forgotten: 0 })
  const young = await said(testing)
  await world.advance(60_000)
  expect(await sweep()).toEqual({ forgotten: 1 })
  expect(await keptOf(old)).toEqual({ text: "", result: null, events: 0, steps: 0 })
  expect(await keptOf(kept)).toEqual(before)
  expect((await keptOf(young))?.text).toContain("a secret of ours")
  expect(await sweep()).toEqual({ forgotten: 0 })
  expect(await testing.getTurn(old)).toMatchObject({ state: "done", result: null })
})

test("A repeat of a deleted test turn's request is refused, and its end user can still be erased", async () => {
  const client = await world.createAccount({ test: true })
  const space = await client.space()
  const key = crypto.randomUUID()
  await client.sendTurn({ space, end_user_ref: "gone" }, key)
  await world.drain()
  await world.sql("insert into settings (key, value) values ('test_data_days', '1')")
  await world.advance(DAY_MS + 60_000)
  expect((await sweep()).forgotten).toBeGreaterThan(0)
  const repeated = await client.sendTurn({ space, end_user_ref: "gone" }, key)
  expect([repeated.status, ((await repeated.json()) as { error: { code: string } }).error.code]).toEqual([
    422,
    "IDEMPOTENCY_KEY_REUSED",
  ])
  const browser = await world.signIn(client.userId)
  expect((await browser.call("DELETE", "/api/account/end-users/gone?test=true")).status).toBeLessThan(300)
})
