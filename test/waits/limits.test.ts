import { afterAll, beforeAll, expect, test } from "vitest"
import { topUp } from "../../src/ops/seed.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { readAnswer } from "../harness/answers.ts"
import { cappedAccount } from "../harness/caps.ts"
import { expectBooks, expectPromises } from "../harness/promises.ts"
import { sendUntilItWaits, waiter } from "../harness/waiting.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

/** Each of its four model calls costs 10 prompt and 200 output tokens: 0.00101 USD. */
const TEXT = "[steps 4]\n[use input=10 output=200]\n[reply Finished.]"
const STEP = 10 * 10 + 200 * 50
const minute = () => world.advance(60_000)

const stepsOf = (turnId: string) =>
  world.sql<{ step: number; cost: number; finish: string }>(
    "select step, cost_credit_micros::float8 as cost, finish from turn_steps where turn_id = $1 order by step",
    [turnId],
  )

/** Sweeps and delivers until the turn has ended or waits again. */
async function goOn(client: { getTurn(id: string): Promise<Turn> }, turnId: string): Promise<Turn> {
  await world.sweep()
  await world.drain()
  return client.getTurn(turnId)
}

test("A turn at its own limit waits for it, and a raise lets it continue without paying for anything twice", async () => {
  const { client, space, userId } = await cappedAccount(world)
  const turn = await sendUntilItWaits(world, client, { space, text: TEXT, on_limit: "wait", max_cost_usd: 0.0026 })
  expect(turn).toMatchObject({
    state: "running",
    waiting: { for: "limit", limit: { kind: "max_cost", resets_at: null }, calls: [] },
  })
  const before = await stepsOf(turn.turn_id)
  expect(before.length).toBeGreaterThan(1)
  const { raise } = waiter(client)
  expect(turn).toMatchObject({ max_cost_usd: 0.0026, on_limit: "wait", waiting: { limit: { limit_usd: 0.0026 } } })
  const continueAt = turn.waiting.limit?.continue_at_usd ?? 0
  expect(continueAt).toBeCloseTo(turn.held_usd + (turn.waiting.limit?.needed_usd ?? 0), 7)
  const short = await raise(turn.turn_id, Math.round(continueAt * 1e7 - 1) / 1e7)
  expect(short).toMatchObject({ status: 200, body: { waiting: { limit: { continue_at_usd: continueAt } } } })
  expect(await raise(turn.turn_id, 0.001)).toMatchObject({ status: 422, body: { error: { param: "max_cost_usd" } } })
  const raised = await raise(turn.turn_id, 0.5)
  expect(raised).toMatchObject({ status: 200, body: { waiting: null } })
  expect(await raise(turn.turn_id, 0.5)).toMatchObject({ status: 200 })
  await world.drain()
  const done = await client.getTurn(turn.turn_id)
  expect(done).toMatchObject({ state: "done" })
  expect(done.result).toContain("Finished.")
  const steps = await stepsOf(turn.turn_id)
  expect(steps.slice(0, before.length)).toEqual(before)
  expect(done.billed_cost_usd).toBe(steps.reduce((sum, { cost }) => sum + cost, 0) / 1e7)
  expect(await raise(turn.turn_id, 1)).toMatchObject({ status: 409, body: { error: { code: "TURN_FINISHED" } } })
  await expectPromises(world, userId)
})

test("With on_limit fail, which is the default, the turn fails with its partial result", async () => {
  const { client, space } = await cappedAccount(world)
  const { turn_id } = await turnOf(await client.sendTurn({ space, text: TEXT, max_cost_usd: 0.0026 }))
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "failed", status_reason: "COST_LIMIT_REACHED" })
})

test("A turn at the end of the balance continues when credit is booked", async () => {
  const { client, space, userId } = await cappedAccount(world, { usd: 0.0026 })
  const turn = await sendUntilItWaits(world, client, { space, text: TEXT, on_limit: "wait" })
  expect(turn.waiting.limit).toMatchObject({ kind: "balance", resets_at: null })
  expect(await goOn(client, turn.turn_id)).toMatchObject({ state: "running", waiting: { for: "limit" } })
  await topUp(world.sql, { userId, micros: 1_000_000, reason: "operator_topup", actor: "test", now: world.clock.now() })
  expect(await goOn(client, turn.turn_id)).toMatchObject({ state: "done" })
  await expectPromises(world, userId)
})

test("A turn at a daily cap continues when the cap resets, and counts in both days what it spent in each", async () => {
  const { client, space, userId } = await cappedAccount(world, { caps: { daily_usd: 0.0026 } })
  const turn = await sendUntilItWaits(world, client, { space, text: TEXT, on_limit: "wait" })
  const midnight = new Date(new Date(world.clock.now()).setUTCHours(24, 0, 0, 0)).toISOString()
  expect(turn.waiting.limit).toMatchObject({ kind: "key_daily", limit_usd: 0.0026, resets_at: midnight })
  // The cap of a key that has no other turn counts what this turn holds.
  const { held_usd, waiting } = turn
  expect(waiting.limit?.continue_at_usd).toBeCloseTo(held_usd + (waiting.limit?.needed_usd ?? 0), 7)
  const [event] = await waiter(client)
    .events(turn.turn_id)
    .then((log) => log.filter(({ type }) => type === "turn.waiting"))
  expect(event?.data.waiting).toEqual(waiting)
  const feed = await readAnswer(client.call("GET", "/v1/events?type=turn.waiting"))
  expect(feed.body.data).toMatchObject([{ data: { turn: { held_usd, waiting } } }])
  await minute()
  expect(await goOn(client, turn.turn_id)).toMatchObject({ state: "running", waiting: { for: "limit" } })
  const before = (await stepsOf(turn.turn_id)).reduce((sum, { cost }) => sum + cost, 0)
  await world.advance(Date.parse(midnight) - world.clock.ms())
  const done = await goOn(client, turn.turn_id)
  expect(done).toMatchObject({ state: "done" })
  const counters = await world.sql<{ spent: number; reserved: number }>(
    `select spent_credit_micros::float8 as spent, reserved_credit_micros::float8 as reserved from spend_counters
     where user_id = $1 and kind = 'key' and period = 'day' order by starts_at`,
    [userId],
  )
  const total = Math.round(done.billed_cost_usd * 1e7)
  expect(counters).toEqual([
    { spent: before, reserved: 0 },
    { spent: total - before, reserved: 0 },
  ])
  await expectPromises(world, userId)
})

test("A raised cap wakes turns in the order in which they began to wait, and admits no more than it allows", async () => {
  const { client, space, userId } = await cappedAccount(world, { caps: { daily_usd: 0.005 } })
  const turns: Turn[] = []
  for (const n of [1, 2, 3, 4]) {
    turns.push(
      await sendUntilItWaits(world, client, {
        space,
        end_user_ref: `customer-${n}`,
        text: TEXT,
        on_limit: "wait",
        ...(n < 4 && { max_cost_usd: 0.0012 }),
      }),
    )
    await world.advance(1_000)
  }
  // The first three wait for themselves. Their raises make them wait for the cap, as the fourth turn does.
  for (const { turn_id } of turns.slice(0, 3)) await waiter(client).raise(turn_id, 1)
  const waits = async () => {
    const now = await Promise.all(turns.map(({ turn_id }) => client.getTurn(turn_id)))
    return { since: now.map(({ waiting }) => waiting?.since), kinds: now.map(({ waiting }) => waiting?.limit?.kind) }
  }
  await world.drain()
  await minute()
  await world.sweep()
  await world.drain()
  const { since, kinds } = await waits()
  expect(kinds).toEqual(Array(4).fill("key_daily"))
  expect(since).toEqual(since.toSorted())
  await expectBooks(world, userId)
  const counted = async () => {
    const [row] = await world.sql<{ used: number }>(
      `select (spent_credit_micros + reserved_credit_micros)::float8 as used from spend_counters
       where user_id = $1 and kind = 'key' and period = 'day'`,
      [userId],
    )
    return row?.used ?? 0
  }
  const setCap = (micros: number) =>
    world.sql("update api_keys set daily_credit_micros = $2 where user_id = $1 and daily_credit_micros is not null", [
      userId,
      micros,
    ])
  // The oldest turn takes all that it wants, and the next one the rest, which is the least that it needs.
  const [room] = await world.sql<{ wanted: number; needed: number }>(
    `select wanted_credit_micros::float8 as wanted, needed_credit_micros::float8 as needed from waiting_turns
     where user_id = $1 and turn_id = $2`,
    [userId, turns[0]?.turn_id],
  )
  const cap = (await counted()) + (room?.wanted ?? 0) + (room?.needed ?? 0)
  await setCap(cap)
  await world.sweep()
  expect((await waits()).kinds).toEqual([undefined, undefined, "key_daily", "key_daily"])
  expect(await counted()).toBe(cap)
  await expectBooks(world, userId)
  await setCap(10_000_000)
  for (let round = 0; round < 5; round++) {
    await world.sweep()
    await world.drain()
    await minute()
  }
  expect((await waits()).kinds).toEqual(Array(4).fill(undefined))
  await expectPromises(world, userId)
})

test("A step is paid once although its turn waited: the cost of each step is the price of its tokens", async () => {
  const { client, space } = await cappedAccount(world)
  const turn = await sendUntilItWaits(world, client, { space, text: TEXT, on_limit: "wait", max_cost_usd: 0.0026 })
  await waiter(client).raise(turn.turn_id, 1)
  await world.drain()
  const whole = (await stepsOf(turn.turn_id)).filter(({ finish }) => finish !== "aborted")
  expect(whole.map(({ cost }) => cost)).toEqual([STEP, STEP, STEP, STEP])
})
