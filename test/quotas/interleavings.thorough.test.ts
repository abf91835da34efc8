import { afterAll, beforeAll, expect, test } from "vitest"
import type { KeyCredential } from "../../src/actor/actor.ts"
import { parseApiKey } from "../../src/keys/api-key.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { cancelTurn } from "../../src/turns/cancel-turn.ts"
import { createTestClock } from "../harness/clock.ts"
import { quietContextOf } from "../harness/context.ts"
import { holdRows, untilBlocked, untilCalled, waitForLocks } from "../harness/locks.ts"
import { createQuotaEstate, DEFAULT_HOLD } from "../harness/quota-load.ts"
import { deadlocksOf, expectNoFaults, watchMoney } from "../harness/quota-watch.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await waitForLocks(world)
  await watchMoney(world)
})
afterAll(async () => {
  await expectNoFaults(world)
  await world.close()
})

/** A worker whose clock differs by this offset. */
const workerAt = (offsetMs: number) => quietContextOf(world, { clock: createTestClock(world.clock.ms() + offsetMs) })

/** A key with a window that has room for one default hold. */
async function windowedKey() {
  const limits = { key_window: DEFAULT_HOLD, window_seconds: 60 }
  const { clients } = await createQuotaEstate(world, limits, 1)
  const [{ client, space } = { client: null, space: "" }] = clients
  const credential = parseApiKey(client?.key ?? "") as KeyCredential
  const body = { space, end_user_ref: "c", text: "t" }
  const accept = (offsetMs: number) =>
    acceptTurn(workerAt(offsetMs), credential, { idempotencyKey: crypto.randomUUID(), body })
  return { credential, accept }
}

test("A window that a slow clock opened after an empty later window still counts", async () => {
  const { credential, accept } = await windowedKey()
  const { made: first } = await accept(100)
  await cancelTurn(workerAt(100), credential, first.turn_id)
  const { made: second } = await accept(99)
  expect(second.hold_credit_micros).toBe(DEFAULT_HOLD)
  await expect(accept(101)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", retryAfter: 60 })
})

test("A worker with a slow clock counts in the window that a fast clock has opened", async () => {
  const { accept } = await windowedKey()
  await accept(500)
  await expect(accept(0)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", retryAfter: 61 })
})

test("Two identical requests, sent while room for two appears, make one turn, which both return", async () => {
  const { clients } = await createQuotaEstate(world, { key_daily: 2 * DEFAULT_HOLD }, 1)
  const [{ client, space } = { client: null, space: "" }] = clients
  if (!client) throw new Error("no client")
  const holding = [await turnOf(await client.sendTurn({ space })), await turnOf(await client.sendTurn({ space }))]
  // Both check at the same time. They are blocked until there is room, and then wait: one for the
  // wallet, the other for the first.
  await world.plan([{ service: "pg", match: "accept_turn", action: "hold", when: "before", call: 1, times: 2 }])
  const twins = Promise.all(["same", "same"].map((key) => client.sendTurn({ space }, key)))
  await untilCalled(world, { match: "accept_turn", count: 2 })
  for (const { turn_id } of holding) {
    expect((await client.call("POST", `/v1/turns/${turn_id}/cancel`)).status).toBe(200)
  }
  const letGo = await holdRows(world, `select from wallets where user_id = ${client.userId} for update`)
  await world.clearFaults()
  // In an account with shards they may find room without the wallet's row.
  await untilBlocked(world, 2, twins)
  await letGo()
  const answers = await twins
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  const [one, other] = await Promise.all(answers.map(turnOf))
  expect(one?.turn_id).toBe(other?.turn_id)
})

test("Two identical requests cause no deadlock while the first one's turn is cancelled", async () => {
  const { clients, userId } = await createQuotaEstate(world, { key_daily: 4 * DEFAULT_HOLD }, 1)
  const [{ client, space } = { client: null, space: "" }] = clients
  if (!client) throw new Error("no client")
  const holdWallet = () => holdRows(world, `select from wallets where user_id = ${userId} for update`)
  // They lock the wallet in this order, and the second statement has started before the first turn
  // exists. With shards, each may finish without the wallet's row.
  const letGo = await holdWallet()
  const first = client.sendTurn({ space }, "twin")
  await untilBlocked(world, 1, first)
  const between = holdWallet()
  await untilBlocked(world, 2, first)
  const twin = client.sendTurn({ space }, "twin")
  await untilBlocked(world, 3, twin)
  await letGo()
  const { turn_id } = await turnOf(await first)
  const letGoAgain = await between
  const cancelled = client.call("POST", `/v1/turns/${turn_id}/cancel`)
  await untilBlocked(world, 1, cancelled)
  await letGoAgain()
  expect((await Promise.all([twin, cancelled])).map(({ status }) => status)).toEqual([202, 200])
  expect((await turnOf(await twin)).turn_id).toBe(turn_id)
  expect(await deadlocksOf(world)).toBe(0)
})
