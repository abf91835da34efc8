import { afterAll, beforeAll, expect, test } from "vitest"
import { dumpTables } from "../harness/dump.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

test("A max_cost_usd below the cost of the first model call is refused with the needed amount, and that amount is accepted", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const body = { space, end_user_ref: "ada", text: "[use input=10 output=5]\nhello there" }
  const { needed_usd } = (await (await client.call("POST", "/v1/turns/estimate", body)).json()) as {
    needed_usd: number
  }
  expect(needed_usd).toBeGreaterThan(0.0000001)
  const below = { ...body, max_cost_usd: Number((needed_usd - 0.0000001).toFixed(7)) }
  const before = await dumpTables(world)

  const details = { needed_usd, max_cost_usd: below.max_cost_usd }
  const estimate = await client.call("POST", "/v1/turns/estimate", below)
  expect(await estimate.json()).toMatchObject({
    admitted: false,
    hold_usd: 0,
    needed_usd,
    refused_by: { code: "COST_LIMIT_TOO_LOW", details, retry_after: null, retryable: false },
  })
  const refused = await client.sendTurn(below)
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ error: { code: "COST_LIMIT_TOO_LOW", param: "max_cost_usd", details } })
  expect((await dumpTables(world)).turns).toBe(before.turns)

  const turn = await client.runTurn({ ...body, max_cost_usd: needed_usd })
  expect(turn.state).toBe("done")
  expect(turn.billed_cost_usd).toBeLessThanOrEqual(needed_usd)
  await expectPromises(world, client.userId)
})

test("A test key's turns cost nothing, so no max_cost_usd is too low for them", async () => {
  const owner = await world.createAccount()
  const { value } = await world.makeKey(owner.userId, { scope: "all", test: true })
  const tester = world.createClient(owner.userId, value)
  const turn = await tester.runTurn({ space: await tester.space(), text: "hello", max_cost_usd: 0.0000001 })
  expect(turn).toMatchObject({ state: "done", billed_cost_usd: 0 })
})
