import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let customer: ReturnType<typeof serveTools>
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createWorld()
  customer = serveTools(world)
})
beforeEach(async () => {
  client = await world.createAccount()
  space = await client.space({ tools: [refundTool()] })
  customer.requests.length = 0
})
afterAll(() => world.close())

const refund = (amount: number, order = "A-1") => `[call refund {"order":"${order}","amount":${amount}}]`

test("A call below the condition runs at once, and a call above it waits without lease, slot and surplus hold", async () => {
  const done = await client.runTurn({ space, text: refund(50) })
  expect(done).toMatchObject({ state: "done", waiting: null })
  expect(customer.requests).toHaveLength(1)
  const turn = await sendUntilItWaits(world, client, { space, text: refund(51) })
  expect(customer.requests).toHaveLength(1)
  expect(turn).toMatchObject({
    state: "running",
    waiting: {
      for: "approval",
      limit: null,
      calls: [{ call: "0.0", tool: "refund", input: { order: "A-1", amount: 51 } }],
    },
  })
  expect(Date.parse(turn.waiting.expires_at) - Date.parse(turn.waiting.since)).toBe(86_400_000)
  const [row] = await world.sql<{ hold: number; cost: number; lease: string | null; state: string }>(
    `select t.hold_credit_micros::float8 as hold, t.cost_credit_micros::float8 as cost, t.lease_until as lease, o.state
     from turns t join open_turns o on o.turn_id = t.turn_id where t.turn_id = $1`,
    [turn.turn_id],
  )
  expect(row).toEqual({ hold: row?.cost, cost: row?.cost, lease: null, state: "waiting" })
  expect(row?.cost).toBeGreaterThan(0)
  await expectBooks(world, client.userId)
})

test("An allowed call is made once, the turn continues, and its log has the wait and who decided", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refund(80) })
  const answer = await waiter(client).decide(turn_id, { decision: "allow" })
  expect(answer).toMatchObject({ status: 200, body: { turn_id, call: "0.0", decision: "allow", edited: false } })
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "running", waiting: null })
  await world.drain()
  const turn = await client.getTurn(turn_id)
  expect(turn).toMatchObject({ state: "done", result: 'refund answered: {"refunded":true}' })
  expect(customer.requests.map(({ headers }) => headers["idempotency-key"])).toEqual([`${turn_id}.0.0`])
  const events = await waiter(client).events(turn_id)
  const types = events.map(({ type }) => type)
  expect(types.filter((type) => type.startsWith("turn.") || type.startsWith("call."))).toEqual([
    "turn.queued",
    "turn.running",
    "turn.waiting",
    "call.decided",
    "turn.resumed",
    "turn.done",
  ])
  const decided = events.find(({ type }) => type === "call.decided")
  expect(decided?.data).toMatchObject({ decision: "allow", edited: false, name: "refund", by: { kind: "key" } })
  await expectPromises(world, client.userId)
})

test("A denied call reaches no tool, and the agent reads why", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refund(80) })
  await waiter(client).decide(turn_id, { decision: "deny", message: "Ask Ada." })
  await world.drain()
  expect((await client.getTurn(turn_id)).result).toBe(
    "refund failed: A person has denied this call, so it was not made. They say: Ask Ada.",
  )
  expect(customer.requests).toHaveLength(0)
})

test("The first decision wins: the same one again is 200 and another one is 409", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, {
    space,
    text: `${refund(80)}\n[and ${refund(90).slice(1)}`,
  })
  const { decide } = waiter(client)
  expect(await decide(turn_id, { decision: "allow" })).toMatchObject({ status: 200 })
  expect(await client.getTurn(turn_id)).toMatchObject({ waiting: { calls: [{ call: "0.1" }] } })
  expect(await decide(turn_id, { decision: "allow" })).toMatchObject({ status: 200 })
  expect(await decide(turn_id, { decision: "deny" })).toMatchObject({
    status: 409,
    body: { error: { code: "CALL_DECIDED" } },
  })
  await world.drain()
  expect(customer.requests).toHaveLength(0)
  expect(await decide(turn_id, { decision: "deny" }, "0.1")).toMatchObject({ status: 200 })
  await world.drain()
  expect(customer.requests).toHaveLength(1)
  expect((await client.getTurn(turn_id)).state).toBe("done")
  expect(await decide(turn_id, { decision: "allow" }, "0.1")).toMatchObject({
    status: 409,
    body: { error: { code: "TURN_FINISHED" } },
  })
})

test("An edited input must fit the tool's schema, and the tool gets it", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refund(80) })
  const { decide } = waiter(client)
  const wrong = await decide(turn_id, { decision: "allow", input: { order: "A-1", amount: "much" } })
  expect(wrong).toMatchObject({ status: 422, body: { error: { param: "input" } } })
  await decide(turn_id, { decision: "allow", input: { order: "A-1", amount: 40 } })
  await world.drain()
  expect(customer.requests.map(({ body }) => JSON.parse(body))).toEqual([{ order: "A-1", amount: 40 }])
  expect((await client.getTurn(turn_id)).result).toContain("A person has changed the input of this call")
})

test("A call whose input the tool forbids needs no decision, and other calls of its step run before the turn waits", async () => {
  const invalid = await client.runTurn({ space, text: '[call refund {"amount":80}]' })
  expect(invalid).toMatchObject({ state: "done", waiting: null })
  expect(invalid.result).toContain("does not fit")
  const { turn_id } = await sendUntilItWaits(world, client, {
    space,
    text: `${refund(80)}\n[and ${refund(10, "B").slice(1)}`,
  })
  expect(customer.requests.map(({ body }) => JSON.parse(body).order)).toEqual(["B"])
  await waiter(client).decide(turn_id, { decision: "allow" })
  await world.drain()
  expect(customer.requests.map(({ body }) => JSON.parse(body).order)).toEqual(["B", "A-1"])
})

test("Built-in tools and calls of sub-agents wait too, and a list finds the turns", async () => {
  const own = await client.space({
    tools: [refundTool({ approval: "always" })],
    manifest: {
      approvals: { write_file: "always" },
      subagents: [{ name: "helper", description: "Helps." }],
    },
  })
  const file = await sendUntilItWaits(world, client, { space: own, text: "[write a.txt hello]" })
  const delegated = await sendUntilItWaits(world, client, {
    space: own,
    end_user_ref: "customer-2",
    text: '[delegate helper [call refund {"order":"A-1","amount":1}]]',
  })
  expect(delegated.waiting.calls).toMatchObject([{ call: "1.0", tool: "refund" }])
  const { data } = (await (await client.call("GET", "/v1/turns?waiting=approval")).json()) as {
    data: { turn_id: string }[]
  }
  expect(data.map(({ turn_id }) => turn_id).sort()).toEqual([file.turn_id, delegated.turn_id].sort())
  await waiter(client).decide(file.turn_id, { decision: "allow" })
  await waiter(client).decide(delegated.turn_id, { decision: "allow" }, "1.0")
  await world.drain()
  expect((await client.getTurn(file.turn_id)).outputs).toMatchObject([{ name: "a.txt" }])
  expect(await client.getTurn(delegated.turn_id)).toMatchObject({ state: "done" })
  expect(customer.requests).toHaveLength(1)
})

test("A later turn of the conversation waits for it, says so, and does not expire in the meantime", async () => {
  const { turn_id } = await sendUntilItWaits(world, client, { space, text: refund(80) })
  const later = await turnOf(await client.sendTurn({ space, text: "later" }))
  expect(later).toMatchObject({ state: "queued", waits_behind: turn_id })
  await world.advance(2 * 3_600_000)
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(later.turn_id)).toMatchObject({ state: "queued", waits_behind: turn_id })
  await waiter(client).decide(turn_id, { decision: "deny" })
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "done" })
  expect(await client.getTurn(later.turn_id)).toMatchObject({ state: "done", waits_behind: null })
})

test.each(["cancel", "expiry", "revoke", "archive", "disable", "erase"])(
  "A waiting turn ends at once by %s, with its bill, and leaves nothing",
  async (how) => {
    const { turn_id } = await sendUntilItWaits(world, client, {
      space,
      text: `[reply done]\n${refund(80)}`,
      max_wait_seconds: 60,
    })
    const browser = await world.signIn(client.userId)
    if (how === "cancel") expect((await client.call("POST", `/v1/turns/${turn_id}/cancel`)).status).toBe(200)
    else if (how === "expiry") {
      await world.advance(60_001)
      await world.sweep()
    } else if (how === "archive") await client.call("DELETE", `/v1/spaces/${space}`)
    else if (how === "erase") {
      const all = world.createClient(client.userId, (await world.makeKey(client.userId, { scope: "all" })).value)
      await all.call("DELETE", "/v1/end-users/customer-1")
    } else {
      if (how === "revoke") {
        const [key] = await world.sql<{ key_id: string }>(
          "select key_id from api_keys where user_id = $1 order by key_id limit 1",
          [client.userId],
        )
        await browser.json("POST", `/api/account/keys/${key?.key_id}/revoke`)
      } else {
        await world.sql("update users set disabled_at = $2, ending_turns = true where user_id = $1", [
          client.userId,
          world.clock.now(),
        ])
      }
      await world.sweep()
    }
    const [row] = await world.sql<{ state: string; status_reason: string; billed: number; cost: number }>(
      "select state, status_reason, billed_credit_micros::float8 as billed, cost_credit_micros::float8 as cost from turns where turn_id = $1",
      [turn_id],
    )
    expect(row?.state).toBe(how === "expiry" ? "failed" : "cancelled")
    if (how === "expiry") expect(row?.status_reason).toBe("WAIT_EXPIRED")
    expect(row?.billed).toBe(row?.cost)
    await world.drain()
    expect(customer.requests).toHaveLength(0)
    await expectPromises(world, client.userId)
    const left = await world.sql(
      "select 1 from waiting_turns where turn_id = $1 union all select 1 from turn_calls where turn_id = $1",
      [turn_id],
    )
    expect(left).toEqual([])
  },
)
