import { afterAll, beforeAll, expect, test } from "vitest"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createSeller } from "../harness/resale.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
let tools: ReturnType<typeof serveTools>
beforeAll(async () => {
  world = await createWorld()
  tools = serveTools(world)
})
afterAll(() => world.close())

test("Messages after an approval hold nothing of the wallet and the balance, and run in order after it", async () => {
  const { client, credit, bill, balance, putPrice, userId } = await createSeller(world)
  await putPrice("threefold", { multiplier: 3 })
  await credit("ada", 1)
  await bill("ada", { price: "threefold" })
  const space = await client.space({ tools: [refundTool()] })
  const ada = { space, end_user_ref: "ada" }
  const { turn_id: before } = await turnOf(await client.sendTurn({ ...ada, text: refundText(80) }))
  const { turn_id: early } = await turnOf(await client.sendTurn({ ...ada, text: "are you there?" }))
  expect((await client.getTurn(early)).held_usd).toBeGreaterThan(0)
  await world.drain()
  const waiting = await client.getTurn(before)
  expect(waiting.waiting).toMatchObject({ for: "approval" })
  const { turn_id: late } = await turnOf(await client.sendTurn({ ...ada, text: "hello??" }))
  for (const id of [early, late]) {
    expect(await client.getTurn(id)).toMatchObject({ state: "queued", held_usd: 0, waits_behind: before })
  }
  expect((await balance("ada")).held_usd).toBeCloseTo(3 * waiting.held_usd, 7)
  await expectBooks(world, userId)
  const other = await client.runTurn({ ...ada, conversation: "another", text: "hello" })
  expect(other.state).toBe("done")
  await client.call("POST", `/v1/turns/${late}/cancel`)
  expect(await client.getTurn(late)).toMatchObject({ state: "cancelled", end_user_charge_usd: 0 })
  await waiter(client).decide(before, { decision: "deny" })
  await world.drain()
  const [first, second] = [await client.getTurn(before), await client.getTurn(early)]
  expect([first.state, second.state]).toEqual(["done", "done"])
  expect(Date.parse(second.started_at ?? "")).toBeGreaterThanOrEqual(Date.parse(first.finished_at ?? ""))
  expect(second.end_user_charge_usd).toBeCloseTo(3 * second.billed_cost_usd, 7)
  expect((await balance("ada")).held_usd).toBe(0)
  await expectPromises(world, userId)
})

test("An allow after the end of the wait makes no call, although no sweep has ended the turn", async () => {
  const client = await world.createAccount()
  const space = await client.space({ tools: [refundTool()] })
  const turn = await sendUntilItWaits(world, client, { space, text: refundText(80), max_wait_seconds: 60 })
  const made = tools.requests.length
  await world.advance(60_000)
  const late = await waiter(client).decide(turn.turn_id, { decision: "allow" })
  expect(late).toMatchObject({ status: 409, body: { error: { code: "CALL_NOT_WAITING" } } })
  expect(late.body.error.message).toContain(turn.waiting.expires_at)
  await world.sweep()
  await world.drain()
  expect(tools.requests.length).toBe(made)
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "failed", status_reason: "WAIT_EXPIRED" })
})
