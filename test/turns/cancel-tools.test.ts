import { afterAll, beforeAll, expect, test } from "vitest"
import type { Claim } from "../../src/runs/claim-turns.ts"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { isThorough } from "../harness/crash.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { untilCalled } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { finishedStep } from "../harness/steps.ts"
import { cancelInTime } from "../harness/time.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const USE = "[use input=100 output=10]"
const STEP_COST = (100 * 10_000_000 + 10 * 50_000_000) / 1_000_000

/** A customer's server that holds its calls until they are released. */
function holdCalls() {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  let arrived = () => {}
  const first = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const customer = serveCustomer(world, {
    async answer() {
      arrived()
      await released
      return Response.json({ ok: true })
    },
  })
  return { customer, first, release }
}

test("A cancel during a tool call is acknowledged, stops later calls, and bills the completed work", async () => {
  const client = await world.createAccount()
  const { customer, first, release } = holdCalls()
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const text = [
    USE,
    '[call lookup_order {"id":"1"}]',
    '[call lookup_order {"id":"2"}]',
    '[call lookup_order {"id":"3"}]',
  ].join("\n")
  const sent = await turnOf(await client.sendTurn({ space, text, max_cost_usd: 0.01 }))
  const running = world.drain()
  await first
  const asked = await cancelInTime(world, client, sent.turn_id)
  expect(asked.status).toBe(200)
  expect(await asked.json()).toMatchObject({ state: "running" })
  release()
  await running
  expect(customer.requests).toHaveLength(1)
  const turn = await client.getTurn(sent.turn_id)
  expect(turn).toMatchObject({ state: "cancelled", status_reason: "client", usage: { model_calls: 1, tool_calls: 1 } })
  expect(turn.billed_cost_usd).toBe(STEP_COST / 10_000_000)
  await expectPromises(world, client.userId)
})

test("Calls of a step that still wait for a slot do not start after a cancel", async () => {
  const client = await world.createAccount()
  const { customer, first, release } = holdCalls()
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const more = Array.from({ length: 9 }, (_, index) => `[and call lookup_order {"id":"${index + 2}"}]`)
  const text = [USE, '[call lookup_order {"id":"1"}]', ...more].join("\n")
  const sent = await turnOf(await client.sendTurn({ space, text }))
  const running = world.drain()
  await first
  await cancelInTime(world, client, sent.turn_id)
  const started = customer.requests.length
  release()
  await running
  expect(started).toBeLessThan(10)
  expect(customer.requests).toHaveLength(started)
  const turn = await client.getTurn(sent.turn_id)
  expect(turn).toMatchObject({ state: "cancelled", usage: { model_calls: 1, tool_calls: started } })
  await expectPromises(world, client.userId)
})

const ROUNDS = isThorough ? 40 : 8

test(`No call starts after the acknowledgement of a cancel at a random moment, in ${ROUNDS} seeded rounds`, async () => {
  const random = createRandom("cancel during tools")
  const client = await world.createAccount({ usd: 100 })
  let acknowledged = false
  const late: string[] = []
  serveCustomer(world, {
    answer({ url }) {
      if (acknowledged) late.push(url)
      return Response.json({ ok: true })
    },
  })
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const states: Record<string, number> = {}
  for (let round = 0; round < ROUNDS; round++) {
    acknowledged = false
    const calls = Array.from({ length: 4 }, (_, index) => `[call lookup_order {"id":"${index}"}]`)
    const sent = await turnOf(
      await client.sendTurn({ space, end_user_ref: `c${round}`, text: [USE, ...calls].join("\n") }),
    )
    // The worker is held at one of its calls. In every other round it continues when the cancel arrives.
    const count = 1 + ((2 * round + random.int(2)) % 12)
    await world.plan([{ call: count, action: "hold", when: random.pick(["before", "after"]) }])
    const running = world.drain()
    await untilCalled(world, { count, request: running })
    if ((await world.calls()).length < count || round % 2 === 1) await world.clearFaults()
    const { status } = await cancelInTime(world, client, sent.turn_id)
    acknowledged = status === 200
    await world.clearFaults()
    await running
    await world.drain()
    const { state } = await client.getTurn(sent.turn_id)
    states[state] = (states[state] ?? 0) + 1
    expect(late, `round ${round}, seed ${random.seed}`).toEqual([])
  }
  console.log(`cancel during tools: ${JSON.stringify(states)}, seed ${random.seed}`)
  expect(states.cancelled).toBeGreaterThan(ROUNDS / 10)
  await expectPromises(world, client.userId)
})

test("A turn with pending calls whose worker died is cancelled without making them", async () => {
  const client = await world.createAccount()
  const customer = serveCustomer(world)
  const space = await client.space({ tools: [orderTool()], secrets: { TOKEN: "canary" } })
  const sent = await turnOf(await client.sendTurn({ space }))
  await world.settled()
  await world.qstash.reset()
  // The worker commits a step with a call, and is not heard of again.
  const claim = await claimTurn(contextOf(world), sent.turn_id)
  const step = finishedStep(0, { calls: 1 })
  step.answer.content = [{ type: "tool-call", toolCallId: "call_1", toolName: "lookup_order", input: { id: "1" } }]
  expect(await commitAnswer(contextOf(world), (claim as Claim).turn, step, [])).not.toBeNull()
  await cancelInTime(world, client, sent.turn_id)
  await world.settled()
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(sent.turn_id)).toMatchObject({
    state: "cancelled",
    usage: { model_calls: 1, tool_calls: 0 },
  })
  expect(customer.requests).toEqual([])
  await expectPromises(world, client.userId)
})
