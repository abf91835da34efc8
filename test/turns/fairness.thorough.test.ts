import { afterEach, beforeEach, expect, test } from "vitest"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import type { QueuedMessage } from "../harness/namespace.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const allowTestTurns = (count: number) =>
  world.sql("insert into settings (key, value) values ('max_open_test_turns', to_jsonb($1::int))", [count])

/** Sends so many turns, each of an end user of its own; returns the answers. */
async function sendMany(client: TestClient, count: number, text = "[think 60000 ms] hello"): Promise<Response[]> {
  const space = await client.space()
  const answers: Response[] = []
  for (let sent = 0; sent < count; sent += 50) {
    const size = Math.min(50, count - sent)
    const batch = Array.from({ length: size }, (_, n) =>
      client.sendTurn({ space, end_user_ref: `customer-${sent + n}`, text }),
    )
    answers.push(...(await Promise.all(batch)))
  }
  await world.settled()
  return answers
}

const ofTurns = (messages: QueuedMessage[]) => messages.filter(({ url }) => url.includes("/callbacks/turns/"))

const HOSTILE = 1_000

test("Many hostile test turns of another account cost a paid turn no more callbacks than it needs alone", async () => {
  await allowTestTurns(HOSTILE)
  const hostile = await world.createAccount({ test: true })
  const answers = await sendMany(hostile, HOSTILE)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  const held = await world.qstash.due()
  expect(held.length, "the slots of a test account").toBe(20)

  const paying = await world.createAccount()
  const { turn_id } = await turnOf(await paying.sendTurn({ space: await paying.space() }))
  await world.settled()
  // None of the hostile callbacks is answered: they keep their slots all the time.
  const callbacks = await world.qstash.due()
  expect(callbacks.map(({ url }) => url)).toEqual([`https://callbacks.test/callbacks/turns/${turn_id}`])
  expect((await world.deliver(callbacks[0] as QueuedMessage)).status).toBe(200)
  expect((await paying.getTurn(turn_id)).state).toBe("done")
})

test("The live turns of an account do not wait for its test turns", async () => {
  const client = await world.createAccount({ usd: 100 })
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  await sendMany(tests, 30)
  expect(await world.qstash.due()).toHaveLength(20)
  await sendMany(client, 120)
  expect(await world.qstash.due(), "the slots of a live account").toHaveLength(100)
})

test("The turns of one account do not wait for another's, in either mode", async () => {
  world.rebind({ TURN_SLOTS: "2", TEST_TURN_SLOTS: "2" })
  for (const test of [false, true]) {
    await sendMany(await world.createAccount({ test }), 5)
    expect(ofTurns(await world.qstash.due())).toHaveLength(2)
    const other = await world.createAccount({ test })
    const { turn_id } = await turnOf(await other.sendTurn({ space: await other.space() }))
    await world.settled()
    expect((await world.qstash.due()).map(({ url }) => url)).toEqual([
      `https://callbacks.test/callbacks/turns/${turn_id}`,
    ])
  }
})

test("The number of slots of an account is set in the deployment", async () => {
  world.rebind({ TEST_TURN_SLOTS: "3" })
  await sendMany(await world.createAccount({ test: true }), 10)
  expect(await world.qstash.due()).toHaveLength(3)
})

test("Webhooks take no slot of a turn, and a running turn none of the slots for waiting turns", async () => {
  world.rebind({ TURN_SLOTS: "2", WEBHOOK_SLOTS: "2" })
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  for (const path of ["one", "two", "three"]) await makeWebhook(client, { url: `${receiver.url}/${path}` })
  const space = await client.space()
  const long = await turnOf(await client.sendTurn({ space, text: "[call list_files {}]" }))
  await world.settled()
  const keys = async () => (await world.qstash.pending()).map(({ flow_control_key }) => flow_control_key).sort()
  const [webhooks, turns] = [`webhooks.${client.userId}.live`, `turns.${client.userId}.live`]
  expect([...new Set(await keys())]).toEqual([turns, webhooks])
  const due = await world.qstash.due()
  expect([ofTurns(due).length, due.length], "two of webhooks at once").toEqual([1, 3])
  // Running, and its worker has died: the sweeper publishes it for a turn that has begun.
  await world.sql(
    "update turns set state = 'running', epoch = 1, attempts = 1, started_at = created_at where turn_id = $1",
    [long.turn_id],
  )
  await world.sql("update open_turns set state = 'running' where turn_id = $1", [long.turn_id])
  await client.sendTurn({ space, end_user_ref: "customer-2" })
  await client.sendTurn({ space, end_user_ref: "customer-3" })
  await world.settled()
  await world.qstash.reset()
  await world.advance(61_000)
  await world.sweep()
  await world.settled()
  // The one that has begun, and both that wait.
  expect((await keys()).filter((key) => !key?.startsWith("webhooks."))).toEqual([
    `begun-turns.${client.userId}.live`,
    turns,
    turns,
  ])
})

test("A turn that is handed over, backs off, is woken or is asked to stop names its account's slots", async () => {
  const client = await world.createAccount({ test: true })
  const space = await client.space()
  const first = await turnOf(await client.sendTurn({ space, text: "[fail MODEL_UNAVAILABLE times=1]\nhello" }))
  await client.sendTurn({ space })
  await client.sendTurn({ space })
  await world.settled()
  const [callback] = ofTurns(await world.qstash.due())
  await world.deliver(callback as QueuedMessage)
  await world.settled()
  await world.qstash.answer({ delivery_id: callback?.delivery_id as string, status: 200 })
  await client.call("POST", `/v1/turns/${first.turn_id}/cancel`)
  await world.drain()
  await world.advance(60_000)
  const pending = await world.qstash.pending()
  expect(pending.every(({ flow_control_key }) => flow_control_key !== null)).toBe(true)
})

test("An account's open test turns are bounded, also for many at once, and live turns are not", async () => {
  await allowTestTurns(20)
  const client = await world.createAccount()
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const answers = await sendMany(tests, 50, "hello")
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(20)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(30)
  expect(refused[0]?.headers.get("retry-after")).toBe("5")
  expect(await refused[0]?.json()).toMatchObject({
    error: { code: "QUOTA_EXCEEDED", retryable: true, details: { cap: "open_test_turns", limit: 20, used: 20 } },
  })
  const space = await client.space()
  expect((await client.sendTurn({ space })).status).toBe(202)

  // A repeat gets its turn, and what has ended makes room.
  const own = await tests.space()
  await world.drain()
  expect((await tests.sendTurn({ space: own }, "twice")).status).toBe(202)
  await world.sql("update settings set value = '1' where key = 'max_open_test_turns'")
  expect((await tests.sendTurn({ space: own }, "twice")).status).toBe(202)
  expect((await tests.sendTurn({ space: own })).status).toBe(429)
})

test("Turns that wait for a slot get messages at growing intervals", async () => {
  world.rebind({ TEST_TURN_SLOTS: "1" })
  const client = await world.createAccount({ test: true })
  await sendMany(client, 6)
  await world.qstash.due()
  for (let minute = 0; minute < 30; minute++) {
    await world.advance(60_500)
    await world.sweep()
    await world.settled()
  }
  const messages = await world.qstash.pending()
  // After 1, 2, 4, 8, 16 and 26 minutes; every minute it would be 30 each.
  expect(messages.length / 6).toBeLessThanOrEqual(8)
  expect(messages.length / 6).toBeGreaterThan(4)
})

test("After an outage the turns whose messages were lost share a few slots, and a new turn waits for none of them", async () => {
  const bulk = await world.createAccount({ usd: 1_000 })
  const accounts = [bulk, await world.createAccount(), await world.createAccount({ test: true })]
  // More than the first page of what is due is one account's.
  await sendMany(bulk, TURN_POLICY.sweepBatch + 1)
  await world.advance(1)
  for (const account of accounts.slice(1)) await sendMany(account, 5)
  const sweepLate = async (slots: Record<string, string>): Promise<number[]> => {
    world.rebind(slots)
    await world.qstash.reset()
    await world.advance(600_000)
    await world.sweep()
    await world.settled()
    const due = ofTurns(await world.qstash.due()).map(({ url }) => url.slice(url.lastIndexOf("/") + 1))
    const owners = await world.sql<{ user_id: number }>("select user_id from turns where turn_id = any ($1)", [due])
    return accounts.map(({ userId }) => owners.filter(({ user_id }) => Number(user_id) === userId).length)
  }
  expect(await sweepLate({ LATE_TURN_SLOTS: "6" })).toEqual([2, 2, 2])

  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  const [callback, ...others] = ofTurns(await world.qstash.due())
  expect(others).toEqual([])
  await world.deliver(callback as QueuedMessage)
  expect((await client.getTurn(turn_id)).state).toBe("done")

  expect(await sweepLate({ LATE_TURN_SLOTS: "2" }), "more accounts than slots").toEqual([1, 1, 1])
  expect(await sweepLate({ LATE_TURN_SLOTS: "12", TEST_TURN_SLOTS: "2" }), "no more than their own").toEqual([4, 4, 2])
})

test("A few lost messages use their account's own slots", async () => {
  world.rebind({ LATE_TURN_SLOTS: "1", TURN_SLOTS: "4" })
  await sendMany(await world.createAccount(), 6)
  await world.qstash.reset()
  await world.advance(61_000)
  await world.sweep()
  await world.settled()
  expect(ofTurns(await world.qstash.due())).toHaveLength(4)
})
