import { afterAll, beforeAll, expect, test } from "vitest"
import { type Scenario, sendUntilAccepted, sendUntilAnswered, survivesEveryFailure } from "../harness/crash.ts"
import { BARE } from "../harness/customer.ts"
import { expectBooks } from "../harness/promises.ts"
import { laterTool, serveTools, workTool } from "../harness/waiting.ts"
import { refundText, refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let customer: ReturnType<typeof serveTools>
beforeAll(async () => {
  world = await createWorld()
  customer = serveTools(world)
})
afterAll(() => world.close())

/** Delivers and sweeps until the turn waits or has ended. The fault can have delayed it. */
async function untilIdle(client: TestClient, turnId: string) {
  for (let round = 0; round < 30; round++) {
    await world.drain()
    const turn = await client.getTurn(turnId).catch(() => null)
    if (turn?.turn_id && (turn.waiting !== null || !["queued", "running"].includes(turn.state))) return turn
    await world.advance(10_000)
    await world.sweep()
  }
  throw new Error("the turn neither waits nor ends")
}

const statusOf = async (send: () => Promise<Response>) => (await sendUntilAnswered(send)).status
const decide = (client: TestClient, turnId: string, decision: string, call = "0.0") =>
  statusOf(() => client.call("POST", `/v1/turns/${turnId}/calls/${call}/decision`, { decision }))
const answer = (client: TestClient, turnId: string, call = "0.0") =>
  statusOf(() => client.call("POST", `/v1/turns/${turnId}/calls/${call}/result`, { output: "printed" }))

/** The effects that the customer's server has seen for an account's turns, by key. */
const effectsOf = (turns: { turn_id: string }[]) =>
  [...customer.effects.keys()].filter((key) => turns.some(({ turn_id }) => key.startsWith(turn_id)))

const scenarios: Scenario[] = [
  {
    name: "an approval that is allowed",
    space: { tools: [refundTool()] },
    async act(client, space) {
      const id = await sendUntilAccepted(client, { space, text: refundText(80) })
      await untilIdle(client, id)
      const key = `${id}.0.0`
      expect(customer.effects.has(key), "no call without an allow").toBe(false)
      expect(await decide(client, id, "allow")).toBe(200)
      await untilIdle(client, id)
    },
    check(turns) {
      expect(turns.map(({ state }) => state)).toEqual(["done"])
      expect(effectsOf(turns)).toHaveLength(1)
    },
  },
  {
    name: "an approval that is denied",
    space: { tools: [refundTool()] },
    async act(client, space) {
      const id = await sendUntilAccepted(client, { space, text: refundText(80) })
      await untilIdle(client, id)
      expect(await decide(client, id, "deny")).toBe(200)
      await untilIdle(client, id)
    },
    check(turns) {
      expect(turns.map(({ state }) => state)).toEqual(["done"])
      expect(effectsOf(turns)).toEqual([])
    },
  },
  {
    name: "a result that comes later, with a call for a worker",
    space: { tools: [laterTool(), workTool()] },
    async act(client, space) {
      const id = await sendUntilAccepted(client, { space, text: "[call print {}]\n[and call pick {}]" })
      await untilIdle(client, id)
      expect(await answer(client, id)).toBe(200)
      await sendUntilAnswered(() => client.call("GET", "/v1/calls"))
      expect(await answer(client, id, "0.1")).toBe(200)
      await untilIdle(client, id)
    },
    async check(turns, client) {
      expect(turns.map(({ state }) => state)).toEqual(["done"])
      expect(effectsOf(turns)).toHaveLength(1)
      const [turn] = await world.sql<{ tool_calls: number }>("select tool_calls from turns where user_id = $1", [
        client.userId,
      ])
      expect(turn?.tool_calls, "each result counts once").toBe(2)
    },
  },
  {
    name: "a wait that expires",
    space: { tools: [refundTool()] },
    async act(client, space) {
      const id = await sendUntilAccepted(client, { space, text: refundText(80), max_wait_seconds: 600 })
      await untilIdle(client, id)
      await world.advance(600_001)
      await world.sweep()
      await untilIdle(client, id)
    },
    check(turns) {
      expect(turns.map(({ state }) => state)).toEqual(["failed"])
      expect(effectsOf(turns)).toEqual([])
    },
  },
  {
    name: "a limit that is raised",
    space: BARE,
    async act(client, space) {
      const text = "[steps 3]\n[use input=10 output=200]\n[reply Finished.]"
      const id = await sendUntilAccepted(client, { space, text, on_limit: "wait", max_cost_usd: 0.0015 })
      await untilIdle(client, id)
      await expectBooks(world, client.userId)
      expect(await statusOf(() => client.call("PATCH", `/v1/turns/${id}`, { max_cost_usd: 0.5 }))).toBe(200)
      await untilIdle(client, id)
    },
    async check(turns, client) {
      expect(turns.map(({ state }) => state)).toEqual(["done"])
      await paidOnce(client)
    },
  },
]

/** Every step has one call and one price, and the turn's bill is their sum. */
async function paidOnce(client: TestClient) {
  const rows = await world.sql(
    `select t.turn_id from turns t where t.user_id = $1 and t.billed_credit_micros <> (select coalesce(sum(p.cost_credit_micros), 0)
       from turn_steps p where p.turn_id = t.turn_id) and t.billed_credit_micros > 0`,
    [client.userId],
  )
  expect(rows).toEqual([])
}

test.each(scenarios)("$name survives a failure at every I/O", (scenario) => survivesEveryFailure(world, scenario))
