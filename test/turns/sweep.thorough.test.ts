import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "../../src/platform/db.ts"
import { releaseTurn } from "../../src/runs/advance-turn.ts"
import { commitAnswer } from "../../src/runs/commit-step.ts"
import { settleTurn } from "../../src/runs/settle-turns.ts"
import { claimTurn } from "../harness/claim.ts"
import { contextOf } from "../harness/context.ts"
import { holdRows, holdWrites, untilBlocked, untilCalled, waitForLocks } from "../harness/locks.ts"
import { expectPromises } from "../harness/promises.ts"
import { finishedStep } from "../harness/steps.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

/** The large ones together are more than one answer of the database may be. */
const [LOST, LARGE] = [450, 30]

test("One sweep finds many turns of the largest texts whose messages the queue lost", async () => {
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

test("After a queue outage a hundred turns are one request and one statement, and none waits for a locked one", async () => {
  const client = await world.createAccount({ usd: 1000 })
  const space = await client.space()
  for (let n = 0; n < 250; n += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, more) => client.sendTurn({ space, end_user_ref: `d${n + more}` })))
  }
  await world.settled()
  await world.qstash.reset()
  await world.advance(61_000)
  const [{ turn_id } = {}] = await world.sql(
    "select turn_id from open_turns where user_id = $1 order by turn_id limit 1",
    [client.userId],
  )
  const letGo = await holdRows(world, `select from turns where turn_id = '${turn_id}' for update`)
  await world.plan([])
  await world.sweep()
  const labels = (await world.calls()).map(({ label }) => label)
  expect(labels.filter((label) => label.includes("/v2/batch"))).toHaveLength(3)
  expect(labels.filter((label) => label.includes("wake_turns_at"))).toHaveLength(3)
  await letGo()
  const still = await world.sql("select turn_id from open_turns where user_id = $1 and wake_at <= $2", [
    client.userId,
    world.clock.now(),
  ])
  expect(still, "only the locked one is due again").toEqual([{ turn_id }])
  await world.sweep()
  await world.drain()
  const turns = await expectPromises(world, client.userId)
  expect(turns.filter((turn) => turn.state === "done")).toHaveLength(250)
})

test("A worker that has lost a turn cannot set its wake time", async () => {
  const client = await world.createAccount()
  const { turn_id } = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  const wakeOf = async () => (await world.sql("select wake_at from open_turns where turn_id = $1", [turn_id]))[0]
  const before = await wakeOf()
  const moment = world.clock.now()
  const stale = { turn_id, epoch: 7, wake_at: new Date(moment.getTime() + 3_600_000) }
  expect(await call(contextOf(world).db, "wake_turn_at", { ...stale, moment })).toEqual([{ wake_turn_at: false }])
  expect(await call(contextOf(world).db, "wake_turns_at", { turns: [stale], moment })).toEqual([{ wake_turns_at: 0 }])
  expect(await wakeOf()).toEqual(before)
  await world.drain()
})

test("The next turn of a conversation is called even if its first call came too early and was not recorded", async () => {
  const client = await world.createAccount()
  const space = await client.space()
  const first = await turnOf(await client.sendTurn({ space }))
  await world.settled()
  const claim = await claimTurn(contextOf(world), first.turn_id)
  if (!claim) throw new Error("not claimed")
  const second = await turnOf(await client.sendTurn({ space }))
  await world.settled()
  // As it is between a publish and its record.
  await world.sql("update open_turns set wake_at = created_at where turn_id = $1", [second.turn_id])
  await world.drain()
  expect((await client.getTurn(second.turn_id)).state).toBe("queued")
  await settleTurn(contextOf(world), claim.turn, { state: "done", result: "r" })
  await world.drain()
  expect((await client.getTurn(second.turn_id)).state).toBe("done")
  await expectPromises(world, client.userId)
})

test("A turn is not failed as lost when its slow worker commits a step after the sweeper has looked", async () => {
  const client = await world.createAccount()
  const sent = await turnOf(await client.sendTurn({ space: await client.space() }))
  await world.settled()
  await world.qstash.reset()
  const claim = await claimTurn(contextOf(world), sent.turn_id)
  if (!claim) throw new Error("not claimed")
  await world.sql("update turns set attempts = 5 where turn_id = $1", [sent.turn_id])
  await world.advance(151_000)
  // The sweeper has read the turn and is held before it writes; meanwhile the worker commits.
  await world.plan([{ service: "pg", match: "settle_turn", call: 1, action: "hold", when: "before" }])
  const sweeping = world.sweep()
  await untilCalled(world, { match: "settle_turn" })
  await commitAnswer(contextOf(world), claim.turn, finishedStep(0), [])
  await releaseTurn(contextOf(world), claim.turn, { broke: false })
  await world.clearFaults()
  await sweeping
  expect((await client.getTurn(sent.turn_id)).state).toBe("running")
  await world.sweep()
  await world.drain()
  expect((await client.getTurn(sent.turn_id)).state).toBe("done")
  await expectPromises(world, client.userId)
})

test("Turns that cannot be published, or are too old, do not delay the others", async () => {
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
  expect(tried, "each turn is tried once, and an old one not at all").toHaveLength(1)
  await world.clearFaults()
  await world.sweep()
  await world.drain()
  expect((await one.getTurn(lost.turn_id)).state).toBe("done")
  await world.sweep()
  const states = await world.sql("select distinct state, status_reason from turns where user_id = $1", [many.userId])
  expect(states).toEqual([{ state: "cancelled", status_reason: "expired" }])
  await expectPromises(world, many.userId)
})

test("A claim that waited for another worker's commit leaves the turn to that worker", async () => {
  const client = await world.createAccount()
  const sent = await turnOf(
    await client.sendTurn({ space: await client.space(), text: "[steps 2]", timeout_seconds: 3600 }),
  )
  await world.settled()
  await world.qstash.reset()
  const claim = await claimTurn(contextOf(world), sent.turn_id)
  if (!claim) throw new Error("not claimed")
  await world.advance(151_000)
  // The commit holds the turn's row while the other claim starts.
  const letGo = await holdWrites(world, "before insert on turn_steps")
  const committing = commitAnswer(contextOf(world), claim.turn, finishedStep(0, { text: "one" }), [])
  await untilBlocked(world)
  const claiming = claimTurn(contextOf(world), sent.turn_id)
  await untilBlocked(world, 2)
  await letGo()
  const [second] = await Promise.all([claiming, committing])
  expect(second).toBeNull()
  await world.advance(151_000)
  await world.sweep()
  await world.drain()
  expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "done", usage: { model_calls: 2 } })
  await expectPromises(world, client.userId)
})
