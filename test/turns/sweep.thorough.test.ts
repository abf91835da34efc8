import { afterAll, beforeAll, expect, test } from "vitest"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { releaseTurn } from "../../src/runs/run-turn.ts"
import { RUNNER_POLICY, TURN_POLICY } from "../../src/turns/policies.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { holdRows, holdWrites, untilBlocked, untilCalled, waitForLocks } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRunner, makeReady } from "../harness/runner.ts"
import { finishedStep } from "../harness/steps.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

/** All large turns together exceed the size limit of one database answer. */
const [LOST, LARGE] = [450, 30]

test("One sweep finds many turns with the largest texts whose messages the queue lost", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space()
  const text = "\u0001".repeat(100_000)
  const send = (n: number) => client.sendTurn({ space, text: n < LARGE ? text : "short", end_user_ref: `c${n}` })
  for (let n = 0; n < LOST; n += 50) await Promise.all(Array.from({ length: 50 }, (_, more) => send(n + more)))
  await world.settled()
  await world.qstash.reset()
  await world.advance(61_000)
  await world.sweep()
  await world.drain()
  const turns = await expectPromises(world, client.userId)
  expect(turns.filter((turn) => turn.state === "done")).toHaveLength(LOST)
})

test("After an outage of the queue, hundreds of turns cost the sweeper one message and one statement, and none waits for a locked one", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space()
  for (let n = 0; n < 250; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, more) => client.sendTurn({ space, end_user_ref: `d${n + more}` })))
  }
  await world.settled()
  await world.qstash.reset()
  await world.advance(61_000)
  const [{ turn_id } = {}] = await world.sql<{ turn_id: string }>(
    "select turn_id from open_turns where user_id = $1 order by turn_id limit 1",
    [client.userId],
  )
  const letGo = await holdRows(world, `select from turns where turn_id = '${turn_id}' for update`)
  await world.plan([])
  await world.sweep()
  const labels = (await world.calls()).map(({ label }) => label)
  expect(labels.filter((label) => label.includes("/v2/publish"))).toHaveLength(1)
  expect(labels.filter((label) => label.includes("lacks_runner"))).toHaveLength(1)
  await world.drain()
  const still = await world.sql("select turn_id from open_turns where user_id = $1", [client.userId])
  expect(still, "only the locked turn is left").toEqual([{ turn_id }])
  await letGo()
  await world.sweep()
  await world.drain()
  const turns = await expectPromises(world, client.userId)
  expect(turns.filter((turn) => turn.state === "done")).toHaveLength(250)
})

test("The sweeper calls no runner while no turn is ready or a runner is about to look", async () => {
  await world.qstash.reset()
  const called = async () => {
    await world.sweep()
    const urls = (await world.qstash.pending()).map(({ url }) => url)
    await world.qstash.reset()
    return urls.filter((url) => url.endsWith("/callbacks/turns")).length
  }
  expect(await called()).toBe(0)
  const client = await world.createAccount()
  await makeReady(world, client, ["customer-1"])
  expect(await called()).toBe(1)
  const runner = createRunner(world, { id: "msg_of_sweep" })
  await runner.look({ places: 1 })
  await makeReady(world, client, ["customer-2"])
  expect(await called(), "the runner has promised to look again").toBe(0)
  await world.advance(RUNNER_POLICY.promiseMs)
  expect(await called(), "the runner has not looked").toBe(1)
  await world.advance(TURN_POLICY.leaseMs)
  await world.sweep()
  await world.drain()
  await expectPromises(world, client.userId)
})

test("A worker that has lost a turn cannot release it", async () => {
  const client = await world.createAccount()
  const [turnId = ""] = await makeReady(world, client, ["customer-1"])
  const runner = createRunner(world, { id: "msg_of_lost" })
  const { claims } = await runner.look()
  const turn = { ...claims[0]?.turn, epoch: 7 } as never
  const wakeOf = async () => (await world.sql("select wake_at from open_turns where turn_id = $1", [turnId]))[0]
  const before = await wakeOf()
  expect(await releaseTurn(runner.ctx, turn, { broke: false, delayMs: 0 }), "the request was answered").toBe(true)
  expect(await wakeOf()).toEqual(before)
  expect(await runner.end(turnId)).toBe(true)
})

test("A turn is not failed as lost if its slow worker commits a step after the sweeper has read it", async () => {
  const client = await world.createAccount()
  const sent = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  await world.qstash.reset()
  const claim = await claimTurn(contextOf(world), sent.turn_id)
  if (!claim) throw new Error("not claimed")
  await world.sql("update turns set attempts = 5 where turn_id = $1", [sent.turn_id])
  await world.advance(151_000)
  // The sweeper has read the turn and is held before it writes, while the worker commits.
  await world.plan([{ service: "pg", match: "settle_turn", call: 1, action: "hold", when: "before" }])
  const sweeping = world.sweep()
  await untilCalled(world, { match: "settle_turn" })
  await commitAnswer(contextOf(world), claim.turn, finishedStep(0), [])
  await releaseTurn(contextOf(world), claim.turn, { broke: false, delayMs: 0 })
  await world.clearFaults()
  await sweeping
  expect((await client.getTurn(sent.turn_id)).state).toBe("running")
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(sent.turn_id)).state).toBe("done")
  await expectPromises(world, client.userId)
})

test("A queue that refuses the sweeper's message delays turns by one sweep, and expired turns delay no other turn", async () => {
  const [many, one] = [await world.createAccount({ usd: 1000 }), await world.createAccount()]
  const space = await many.space()
  for (let n = 0; n < 250; n += 50) await Promise.all(Array.from({ length: 50 }, () => many.sendTurn({ space })))
  await world.settled()
  await world.advance(3_600_000)
  const lost = await turnOf(await one.sendTurn({ space: await one.space() }))
  await world.settled()
  await world.qstash.reset()
  await world.advance(61_000)
  await world.plan([{ service: "qstash", call: 1, times: 9999, action: "fail", when: "before" }])
  await world.sweep()
  const tried = (await world.calls()).filter((call) => call.service === "qstash")
  // One message from the sweep itself, and one for each batch of old turns that ended.
  expect(tried.length, "one message serves many turns").toBeLessThan(5)
  await world.clearFaults()
  await world.sweep()
  await world.drain()
  expect((await one.getTurn(lost.turn_id)).state).toBe("done")
  await world.sweep()
  const states = await world.sql("select distinct state, status_reason from turns where user_id = $1", [many.userId])
  expect(states).toEqual([{ state: "cancelled", status_reason: "expired" }])
  await expectPromises(world, many.userId)
})

test("A claim does not wait for another worker's commit and leaves the turn to that worker", async () => {
  const client = await world.createAccount()
  const sent = await turnOf(
    await client.sendTurn({ space: await client.space(), text: "[steps 2]", timeout_seconds: 3600 }),
  )
  await world.settled()
  await world.qstash.reset()
  const claim = await claimTurn(contextOf(world), sent.turn_id)
  if (!claim) throw new Error("not claimed")
  await world.advance(151_000)
  // The commit has locked the turn's row, whose lease has expired.
  const letGo = await holdWrites(world, "before insert on turn_steps")
  const committing = commitAnswer(contextOf(world), claim.turn, finishedStep(0, { text: "one" }), [])
  await untilBlocked(world)
  const runner = createRunner(world, { id: "msg_of_other" })
  expect((await runner.look()).claims).toEqual([])
  await letGo()
  await committing
  expect((await runner.look()).claims, "the turn has a lease again").toEqual([])
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "done", usage: { model_calls: 2 } })
  await expectPromises(world, client.userId)
})
