import { afterAll, beforeAll, expect, test } from "vitest"
import { RUNNER_POLICY } from "../../src/turns/policies.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { isThorough } from "../harness/crash.ts"
import { holdRows, untilBlocked, untilCalled, waitForLocks } from "../harness/locks.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const ROUNDS = isThorough ? 40 : 6

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
})
afterAll(() => world.close())

test("Fifty identical concurrent POSTs make one turn", async () => {
  const client = await world.createAccount({ usd: 0.25 })
  const space = await client.space()
  const answers = await Promise.all(Array.from({ length: 50 }, () => client.sendTurn({ space }, "same")))
  expect(answers.map((answer) => answer.status)).toEqual(Array(50).fill(202))
  const turns = await Promise.all(answers.map(async (answer) => (await answer.json()) as Turn))
  expect(new Set(turns.map((turn) => turn.turn_id)).size).toBe(1)
  expect(answers.filter((answer) => answer.headers.get("idempotent-replayed") !== "true")).toHaveLength(1)
  await world.drain()
  expect(await expectPromises(world, client.userId)).toHaveLength(1)
})

test("With credit for 10 holds, 200 concurrent turns give exactly 10 acceptances and 190 clear refusals", async () => {
  const client = await world.createAccount({ usd: 2.5 })
  const space = await client.space()
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_, n) => client.sendTurn({ space, end_user_ref: `customer-${n % 20}` })),
  )
  const accepted = answers.filter((answer) => answer.status === 202)
  const refused = answers.filter((answer) => answer.status === 402)
  expect([accepted.length, refused.length]).toEqual([10, 190])
  for (const refusal of refused) {
    expect(await refusal.json()).toMatchObject({
      error: {
        code: "INSUFFICIENT_CREDITS",
        message: expect.stringContaining("top up"),
        details: { balance_usd: 2.5, held_usd: 2.5, available_usd: 0 },
      },
    })
  }
  await expectBooks(world, client.userId)
  await world.drain()
  expect(await expectPromises(world, client.userId)).toHaveLength(10)
})

/** The orders of the first rounds. In all other rounds both start at the same time. */
const ORDERS = ["cancel first", "finish first", "cancel first", "finish first"]

test(`A cancel that races with the end of a turn leaves one state and one bill, in ${ROUNDS} seeded rounds`, async () => {
  const random = createRandom("cancel racing finish")
  const states: Record<string, number> = {}
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  for (let round = 0; round < ROUNDS; round++) {
    const { turn_id } = await turnOf(await client.sendTurn({ space, end_user_ref: `c${round}` }))
    await world.settled()
    const order = ORDERS[round]
    const isOrdered = order !== undefined
    // The worker is held before it ends the turn. Then both wait for the turn's row, in the order of the round.
    if (isOrdered) await world.plan([{ service: "pg", match: "settle_turn", call: 1, action: "hold", when: "before" }])
    const running = world.drain()
    if (isOrdered) await untilCalled(world, { match: "settle_turn", request: running })
    const row = `select from turns where turn_id = '${turn_id}' for no key update`
    const letGo = isOrdered ? await holdRows(world, row) : null
    if (order === "finish first") await world.clearFaults().then(() => untilBlocked(world, 1, running))
    if (!isOrdered) await jitter(random.int(6))
    const cancelling = client.call("POST", `/v1/turns/${turn_id}/cancel`)
    if (order === "cancel first") await untilBlocked(world, 1, cancelling).then(() => world.clearFaults())
    if (isOrdered) await untilBlocked(world, 2, Promise.race([running, cancelling]))
    await letGo?.()
    const { status } = await cancelling
    await running
    const { state } = await client.getTurn(turn_id)
    // An acknowledged cancel takes effect. A refused cancel found a turn that was already done.
    expect([status, state]).toEqual(status === 200 ? [200, "cancelled"] : [409, "done"])
    if (isOrdered) expect(state).toBe(order === "cancel first" ? "cancelled" : "done")
    states[state] = (states[state] ?? 0) + 1
  }
  await expectPromises(world, client.userId)
  console.log(`cancel racing finish: ${JSON.stringify(states)}, seed ${random.seed}`)
})

test(`Five concurrent copies of one callback and the sweeper run the turn once, in ${ROUNDS} seeded rounds`, async () => {
  const random = createRandom("callback racing callback")
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  for (let round = 0; round < ROUNDS; round++) {
    await client.sendTurn({ space, end_user_ref: `c${round}` })
    await world.settled()
    const [delivery] = await world.qstash.due()
    if (!delivery) throw new Error("nothing was published")
    const copies = Array.from({ length: 5 }, async () => {
      await jitter(random.int(3))
      return (await world.deliver(delivery)).status
    })
    const statuses = await Promise.all([...copies, world.sweep().then(() => 200)])
    expect(statuses).toEqual(Array(6).fill(200))
    await world.qstash.answer({ delivery_id: delivery.delivery_id, status: 200 })
    await world.drain()
  }
  const turns = await expectPromises(world, client.userId)
  expect(turns.filter((turn) => turn.state === "done")).toHaveLength(ROUNDS)
  const usage = await world.sql("select 1 from usage where user_id = $1", [client.userId])
  expect(usage, "each turn called the model once").toHaveLength(ROUNDS)
})

test(`A worker that outlives its lease and the worker of the sweeper's message give one bill, in ${ROUNDS} seeded rounds`, async () => {
  const random = createRandom("sweeper racing worker")
  // After a time without turns, no runner keeps looking for more.
  await world.advance(RUNNER_POLICY.busyMs + 1)
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  for (let round = 0; round < ROUNDS; round++) {
    const text = "[think 60000 ms]\n[reply finished]"
    const sent = (await (await client.sendTurn({ space, end_user_ref: `c${round}`, text })).json()) as Turn
    await world.settled()
    const [delivery] = await world.qstash.due()
    if (!delivery) throw new Error("nothing was published")
    const slow = world.deliver(delivery)
    await world.clock.sleeping(1, 60_000)
    // The worker does not renew its lease: it keeps sleeping, like a frozen isolate.
    await world.sql("update turns set lease_until = created_at where turn_id = $1", [sent.turn_id])
    await world.sql("update open_turns set wake_at = created_at where turn_id = $1", [sent.turn_id])
    await world.sweep()
    const [again] = await world.qstash.due()
    if (!again) throw new Error("the sweeper published nothing")
    const second = world.deliver(again)
    await world.clock.sleeping(2, 60_000)
    const wake = [() => world.advance(60_000), () => jitter(random.int(4)).then(() => world.sweep())]
    if (random.int(2)) wake.reverse()
    await Promise.all(wake.map((act) => act()))
    const statuses = (await Promise.all([slow, second])).map((response) => response.status)
    expect(statuses).toEqual([200, 200])
    for (const { delivery_id } of [delivery, again]) await world.qstash.answer({ delivery_id, status: 200 })
    await world.drain()
    expect(await client.getTurn(sent.turn_id)).toMatchObject({ state: "done", result: "finished" })
  }
  await expectPromises(world, client.userId)
})

/** Lets other work run first, for this many round trips. */
async function jitter(trips: number): Promise<void> {
  for (let trip = 0; trip < trips; trip++) await world.sql("select 1")
}
