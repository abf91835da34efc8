import { afterEach, beforeEach, expect, test } from "vitest"
import type { QueuedMessage } from "../harness/namespace.ts"
import { expectPromises } from "../harness/promises.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
beforeEach(async () => {
  world = await createWorld()
})
afterEach(() => world.close())

const THINK_MS = 60_000

const allowTestTurns = (count: number) =>
  world.sql("insert into settings (key, value) values ('max_open_test_turns', to_jsonb($1::int))", [count])

/** Sends this many turns, each of a different end user. Returns the answers. */
async function sendMany(client: TestClient, count: number, text = `[think ${THINK_MS} ms]`): Promise<Response[]> {
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

const testsOf = async (client: TestClient) =>
  world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)

const ofTurns = (messages: QueuedMessage[]) => messages.filter(({ url }) => url.endsWith("/callbacks/turns"))

/**
 * Repeatedly delivers due messages without waiting for the results. Resolves once this many turns
 * are thinking.
 */
async function deliverUntil(thinking: number): Promise<void> {
  const asleep = world.clock.sleeping(thinking, THINK_MS)
  let isThere = false
  void asleep.then(() => {
    isThere = true
  })
  while (!isThere) {
    await world.isCalm(50)
    for (const message of await world.qstash.due()) void deliver(message)
  }
}

async function deliver(message: QueuedMessage): Promise<void> {
  const { status } = await world.deliver(message)
  // A closed world has no queue.
  await world.qstash.answer({ delivery_id: message.delivery_id, status }).catch(() => {})
}

/** Delivers due messages until a turn is done. No time passes, so no thinking turn ends. */
async function untilDone(client: TestClient, turnId: string): Promise<void> {
  while ((await client.getTurn(turnId)).state !== "done") {
    for (const message of await world.qstash.due()) void deliver(message)
  }
}

const running = async (client: TestClient, test: boolean): Promise<number> => {
  const rows = await world.sql("select from turns where user_id = $1 and test = $2 and state = 'running'", [
    client.userId,
    test,
  ])
  return rows.length
}

const HOSTILE = 1_000

test("A thousand hostile test turns of another account hold only a few places, and a paid turn is done at once", async () => {
  await allowTestTurns(HOSTILE)
  const hostile = await world.createAccount({ test: true })
  const answers = await sendMany(hostile, HOSTILE)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
  await deliverUntil(20)
  expect(await running(hostile, true), "the slots of a test account").toBe(20)

  const paying = await world.createAccount()
  const { turn_id } = await turnOf(await paying.sendTurn({ space: await paying.space() }))
  await untilDone(paying, turn_id)
  expect(await running(hostile, true)).toBe(20)
})

test("The live turns of an account wait neither for its test turns nor for test turns of others", async () => {
  world.rebind({ TURN_SLOTS: "30", TEST_TURN_SLOTS: "5" })
  const client = await world.createAccount({ usd: 100 })
  const tests = await testsOf(client)
  await sendMany(tests, 30)
  await deliverUntil(5)
  await sendMany(client, 40)
  await deliverUntil(35)
  expect([await running(client, true), await running(client, false)]).toEqual([5, 30])
})

test("The turns of one account do not wait for another account's turns, live or test", async () => {
  world.rebind({ TURN_SLOTS: "2", TEST_TURN_SLOTS: "2" })
  let thinking = 0
  for (const test of [false, true]) {
    await sendMany(await world.createAccount({ test }), 5)
    thinking += 2
    await deliverUntil(thinking)
    const other = await world.createAccount({ test })
    const { turn_id } = await turnOf(await other.sendTurn({ space: await other.space() }))
    await untilDone(other, turn_id)
  }
})

test("A freed slot is used at once, without a message, until all turns are done", async () => {
  world.rebind({ TURN_SLOTS: "3" })
  const client = await world.createAccount({ usd: 100 })
  await sendMany(client, 7)
  for (const thinking of [3, 3, 1]) {
    await deliverUntil(thinking)
    // The next turn may start in the statement of one ended turn, while another one's is under way.
    await expect.poll(() => running(client, false)).toBe(thinking)
    await world.advance(THINK_MS)
  }
  while ((await world.sql("select from open_turns")).length > 0) await world.drain()
  const turns = await expectPromises(world, client.userId)
  expect(turns.map(({ state }) => state)).toEqual(Array.from({ length: 7 }, () => "done"))
})

test("The deployment sets an end user's slots, and other end users of the account do not wait", async () => {
  world.rebind({ END_USER_TURN_SLOTS: "2" })
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  const text = `[think ${THINK_MS} ms]`
  for (let n = 0; n < 6; n++) await client.sendTurn({ space, end_user_ref: "busy", conversation: `c${n}`, text })
  await client.sendTurn({ space, end_user_ref: "calm", text })
  await world.settled()
  await deliverUntil(3)
  const refs = await world.sql<{ end_user_ref: string }>(
    "select end_user_ref from turns where state = 'running' order by 1",
  )
  expect(refs.map(({ end_user_ref }) => end_user_ref)).toEqual(["busy", "busy", "calm"])
})

test("Webhooks and runners have separate shares of the queue", async () => {
  world.rebind({ RUNNERS: "1", WEBHOOK_RUNS: "1" })
  const client = await world.createAccount()
  const receiver = serveReceiver(world)
  await makeWebhook(client, { url: receiver.url })
  await sendMany(client, 3, "hello")
  const due = await world.qstash.due()
  const [runners, webhooks] = [ofTurns(due).length, due.length - ofTurns(due).length]
  // A runner that finishes its remaining turns leaves its place to another runner.
  expect([runners, webhooks]).toEqual([2, 1])
})

test("The number of an account's open test turns is limited, also for concurrent requests, and live turns have no such limit", async () => {
  await allowTestTurns(20)
  const client = await world.createAccount()
  const tests = await testsOf(client)
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

  // A repeated request gets its turn, and each turn that ends frees a place.
  const own = await tests.space()
  await world.drain()
  expect((await tests.sendTurn({ space: own }, "twice")).status).toBe(202)
  await world.sql("update settings set value = '1' where key = 'max_open_test_turns'")
  expect((await tests.sendTurn({ space: own }, "twice")).status).toBe(202)
  expect((await tests.sendTurn({ space: own })).status).toBe(429)
})

test("After an outage of the queue, a new turn of another account does not wait for the thousands of earlier turns", async () => {
  world.rebind({ TURN_SLOTS: "10" })
  const bulk = await world.createAccount({ usd: 1_000 })
  await sendMany(bulk, 500)
  await world.qstash.reset()
  await world.advance(600_000)
  await world.sweep()
  await deliverUntil(10)
  expect(await running(bulk, false), "no more than the account's own slots").toBe(10)

  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await untilDone(client, turn_id)
  expect(await running(bulk, false)).toBe(10)
})

test("Turns that wait for a slot cost the queue at most one message per minute, however many they are", async () => {
  world.rebind({ TEST_TURN_SLOTS: "1" })
  const client = await world.createAccount({ test: true })
  await sendMany(client, 20)
  await world.qstash.reset()
  for (let minute = 0; minute < 30; minute++) {
    await world.advance(60_500)
    await world.sweep()
    await world.settled()
  }
  expect(await world.qstash.pending()).toHaveLength(30)
})
