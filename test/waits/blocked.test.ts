import { afterAll, beforeAll, expect, test } from "vitest"
import { blockAndFree } from "../harness/blocked-turns.ts"
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

/** An account of a space whose turns wait 600 seconds, with a turn that waits 3,600 seconds for a decision. */
async function waitLong() {
  const client = await world.createAccount()
  const space = await client.space({ tools: [refundTool()], manifest: { max_wait_seconds: 600 } })
  const send = async (more: object = {}) => turnOf(await client.sendTurn({ space, text: "later", ...more }))
  const early = await send({ text: refundText(80), max_wait_seconds: 3_600 })
  const before = await send({ max_wait_seconds: 300 })
  await world.drain()
  const until = (seconds: number) => new Date(world.clock.ms() + seconds * 1_000).toISOString()
  return { client, send, first: early.turn_id, before: before.turn_id, until }
}

test("A blocked turn is cancelled at the end of its own wait, or of its space's, and the turns around it stay", async () => {
  const { client, send, first, before, until } = await waitLong()
  const own = await send({ max_wait_seconds: 60 })
  const ofSpace = await send()
  const long = await send({ max_wait_seconds: 7_200 })
  const expected = { state: "queued", held_usd: 0, waits_behind: first }
  expect(await client.getTurn(first)).toMatchObject({ waits_behind: null, waits_behind_until: null })
  expect(own).toMatchObject({ ...expected, waits_behind_until: until(60) })
  for (const [id, seconds] of [
    [before, 300],
    [own.turn_id, 60],
    [ofSpace.turn_id, 600],
    [long.turn_id, 7_200],
  ] as const) {
    expect(await client.getTurn(id)).toMatchObject({ ...expected, waits_behind_until: until(seconds) })
  }
  const { data } = (await (await client.call("GET", "/v1/turns")).json()) as { data: { turn_id: string }[] }
  expect(data.find(({ turn_id }) => turn_id === own.turn_id)).toMatchObject({
    ...expected,
    waits_behind_until: until(60),
  })

  const leftAfter = async (seconds: number) => {
    await world.advance(seconds * 1_000)
    await world.sweep()
    await world.drain()
    const turns = await Promise.all(
      [own, { turn_id: before }, ofSpace, long].map(({ turn_id }) => client.getTurn(turn_id)),
    )
    return turns.map(({ state, status_reason }) => status_reason ?? state)
  }
  expect(await leftAfter(59)).toEqual(["queued", "queued", "queued", "queued"])
  expect(await leftAfter(1)).toEqual(["expired", "queued", "queued", "queued"])
  expect(await client.getTurn(own.turn_id)).toMatchObject({
    state: "cancelled",
    started_at: null,
    result: null,
    billed_cost_usd: 0,
    waits_behind: null,
    waits_behind_until: null,
    error: null,
  })
  expect((await waiter(client).events(own.turn_id)).map(({ type }) => type)).toEqual(["turn.queued", "turn.cancelled"])
  expect(await leftAfter(240)).toEqual(["expired", "expired", "queued", "queued"])
  expect(await leftAfter(300)).toEqual(["expired", "expired", "expired", "queued"])
  expect(await client.getTurn(first)).toMatchObject({ waiting: { for: "approval" } })
  await waiter(client).decide(first, { decision: "deny" })
  await world.drain()
  expect([(await client.getTurn(first)).state, (await client.getTurn(long.turn_id)).state]).toEqual(["done", "done"])
  await expectPromises(world, client.userId)
})

test("A blocked turn of a test key, and of a prepaid customer expires with an event and without a charge", async () => {
  const tester = await world.createAccount({ test: true })
  const ofTester = await tester.space({ tools: [refundTool()] })
  await sendUntilItWaits(world, tester, { space: ofTester, text: refundText(80) })
  const tested = await turnOf(await tester.sendTurn({ space: ofTester, text: "later", max_wait_seconds: 60 }))
  const { client, credit, bill, balance, putPrice, userId } = await createSeller(world)
  await putPrice("threefold", { multiplier: 3 })
  await credit("ada", 1)
  await bill("ada", { price: "threefold", prepaid: true })
  const space = await client.space({ tools: [refundTool()] })
  const waiting = await sendUntilItWaits(world, client, { space, end_user_ref: "ada", text: refundText(80) })
  const sold = await turnOf(await client.sendTurn({ space, end_user_ref: "ada", text: "later", max_wait_seconds: 60 }))
  const before = await balance("ada")
  await world.advance(60_000)
  await world.sweep()
  expect(await tester.getTurn(tested.turn_id)).toMatchObject({ state: "cancelled", status_reason: "expired" })
  expect(await client.getTurn(sold.turn_id)).toMatchObject({ state: "cancelled", end_user_charge_usd: 0, held_usd: 0 })
  expect(await balance("ada")).toEqual(before)
  await waiter(client).decide(waiting.turn_id, { decision: "deny" })
  await world.drain()
  await expectPromises(world, userId)
  const events = (await (await client.call("GET", "/v1/events?limit=100")).json()) as { data: { type: string }[] }
  expect(events.data.filter(({ type }) => type === "turn.cancelled")).toHaveLength(1)
})

test("The end of a wait frees the later turns, although their own wait ends at the same moment", async () => {
  const client = await world.createAccount()
  const space = await client.space({ tools: [refundTool()] })
  const first = await turnOf(await client.sendTurn({ space, text: refundText(80), max_wait_seconds: 60 }))
  const second = await turnOf(await client.sendTurn({ space, text: "later", max_wait_seconds: 60 }))
  await world.drain()
  expect((await client.getTurn(second.turn_id)).waits_behind_until).toBe(
    (await client.getTurn(first.turn_id)).waiting?.expires_at,
  )
  await world.advance(60_000)
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(first.turn_id)).status_reason).toBe("WAIT_EXPIRED")
  expect(await client.getTurn(second.turn_id)).toMatchObject({ state: "done" })
  await expectPromises(world, client.userId)
})

test("A turn that is freed and blocked again gets a new wait, and a plain turn has none", async () => {
  const { client, send, first, before } = await waitLong()
  await world.advance(200_000)
  await waiter(client).decide(first, { decision: "deny" })
  const again = await send({ text: refundText(90), end_user_ref: "other" })
  await world.drain()
  expect(await client.getTurn(before)).toMatchObject({ state: "done" })
  const expiring = await world.sql<{ turn_id: string }>(
    "select turn_id from open_turns where user_id = $1 and expires_at is not null",
    [client.userId],
  )
  expect(expiring).toEqual([])
  await waiter(client).decide(again.turn_id, { decision: "deny" })
  await world.drain()
})

test("Blocked turns give all their holds back, and are freed at once in order, with exact caps", async () => {
  expect(await blockAndFree(world, { people: 3, behind: 4 })).toMatchObject({ done: 15, sent: 15 })
})
