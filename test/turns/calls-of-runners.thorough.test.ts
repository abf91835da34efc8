import { afterEach, beforeEach, expect, test } from "vitest"
import { RUNNER_POLICY } from "../../src/turns/policies.ts"
import { holdWrites, untilBlocked, waitForLocks } from "../harness/locks.ts"
import type { QueuedMessage } from "../harness/namespace.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRunner, idsOf, makeReady } from "../harness/runner.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
beforeEach(async () => {
  world = await createWorld()
  await waitForLocks(world)
  client = await world.createAccount({ usd: 100 })
  space = await client.space()
})
afterEach(() => world.close())

let sent = 0
const send = async (text = "hello") =>
  turnOf(await client.sendTurn({ space, end_user_ref: `customer-${sent++}`, text }))

async function calledFor(text?: string): Promise<string[]> {
  await send(text)
  await world.settled()
  const urls = (await world.qstash.pending()).map(({ url }) => url)
  await world.qstash.reset()
  return urls
}

const CALL = "https://callbacks.test/callbacks/turns"
const runner = (id = "msg_1", runners = 100) => createRunner(world, { id, slots: { runners } })

test("Accepting a turn publishes a message for a runner that names no turn", async () => {
  expect(await calledFor()).toEqual([CALL])
})

test("Accepting a turn calls no runner while one has promised to look, and calls one after the promise expires", async () => {
  const looking = runner()
  expect((await looking.look({ stays: true })).status).toBe("looking")
  expect(await calledFor()).toEqual([])
  await world.advance(RUNNER_POLICY.promiseMs)
  expect(await calledFor()).toEqual([CALL])
})

test("Accepting a turn calls another runner while the existing runners do not look for turns", async () => {
  const waiting = runner()
  await makeReady(world, client, ["customer-a"])
  const found = await waiting.look()
  expect([found.status, found.claims.length]).toEqual(["waiting", 1])
  expect(await calledFor()).toEqual([CALL])
})

test("Accepting a turn calls a runner after the previous runner has ended", async () => {
  expect((await runner().look()).status).toBe("over")
  expect(await world.sql("select from runners")).toEqual([])
  expect(await calledFor()).toEqual([CALL])
})

test("A runner that retires no longer prevents calls of other runners and releases its place", async () => {
  await makeReady(world, client, ["customer-a"])
  const retiring = runner()
  await retiring.look()
  expect((await retiring.look({ places: 0, retires: true })).status).toBe("over")
  expect(await world.sql("select from runners")).toEqual([])
  expect(await calledFor()).toEqual([CALL])
})

test("At the maximum number of runners, no runner is called or registered until one of them has died", async () => {
  world.rebind({ RUNNERS: "2" })
  await makeReady(world, client, ["customer-a", "customer-b"])
  for (const id of ["msg_1", "msg_2"]) {
    const { status, claims } = await runner(id, 2).look({ places: 1 })
    expect([status, claims.length]).toEqual(["looking", 1])
  }
  await world.sql("update runners set looks_until = null")
  expect(await calledFor()).toEqual([])
  const third = await runner("msg_3", 2).look()
  expect([third.status, third.claims, third.runners]).toEqual(["full", [], 2])
  await world.advance(RUNNER_POLICY.deadMs)
  expect(await calledFor()).toEqual([CALL])
  expect((await runner("msg_3", 2).look()).status).toBe("waiting")
})

test("A runner that found no turns still finds a turn that commits after its look", async () => {
  const looking = runner()
  await looking.look({ stays: true })
  const letGo = await holdWrites(world, "after insert on open_turns", { atCommit: true })
  const accepting = send()
  await untilBlocked(world)
  const vain = await looking.look()
  expect([vain.status, vain.claims]).toEqual(["looking", []])
  await letGo()
  const { turn_id } = await accepting
  await world.settled()
  expect(await world.qstash.pending(), "acceptance relies on the runner").toEqual([])
  expect(idsOf(await looking.look())).toEqual([turn_id])
})

test("An acceptance waits while a runner is being removed, and then calls another runner", async () => {
  const ending = runner()
  await ending.look({ stays: true })
  await makeReady(world, client, ["customer-a"])
  const letGo = await holdWrites(world, "after update on runners", { atCommit: true })
  const looking = ending.look()
  await untilBlocked(world)
  const accepting = send()
  await untilBlocked(world, 2)
  await letGo()
  expect((await looking).status).toBe("waiting")
  await accepting
  await world.settled()
  expect(await world.qstash.pending()).toHaveLength(1)
})

test("A runner that is about to end runs turns whose acceptances are blocked at that time, without a sweep", async () => {
  const first = await send()
  await world.settled()
  const [call] = await world.qstash.due()
  const others = [await world.createAccount(), await world.createAccount()]
  const spaces = await Promise.all(others.map((other) => other.space()))
  const letGo = await holdWrites(world, "after insert on open_turns", { atCommit: true })
  const accepting = others.map((other, n) => other.sendTurn({ space: spaces[n] as string }))
  await untilBlocked(world, 2)
  const running = world.deliver(call as QueuedMessage)
  // Its own turn is done, but it cannot be removed while the acceptances hold locks, so it looks
  // until they commit.
  while ((await client.getTurn(first.turn_id)).state !== "done");
  await letGo()
  await Promise.all(accepting)
  await world.settled()
  // Simulates that the messages of those turns are lost.
  await world.qstash.reset()
  expect(await (await running).json()).toEqual({ turns: { settled: 3 } })
  for (const { userId } of others) {
    expect((await expectPromises(world, userId)).map(({ state }) => state)).toEqual(["done"])
  }
})

test("Two concurrent deliveries of one message run each turn once", async () => {
  for (let n = 0; n < 20; n++) await send()
  await world.settled()
  const [call] = await world.qstash.due()
  await world.qstash.reset()
  await Promise.all([world.deliver(call as QueuedMessage), world.deliver(call as QueuedMessage)])
  await world.drain()
  const turns = await expectPromises(world, client.userId)
  expect(turns.map(({ state }) => state)).toEqual(Array.from({ length: 20 }, () => "done"))
  expect(await world.sql("select distinct epoch from turns")).toEqual([{ epoch: 1 }])
})

test("A late delivery finds no turns and leaves no runner", async () => {
  await send()
  await world.settled()
  const [call] = await world.qstash.due()
  await world.deliver(call as QueuedMessage)
  const late = await world.deliver(call as QueuedMessage)
  expect(await late.json()).toEqual({ turns: {} })
  expect(await world.sql("select from runners")).toEqual([])
})
