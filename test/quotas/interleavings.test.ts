import { afterAll, beforeAll, expect, test } from "vitest"
import { createContext } from "../../src/context.ts"
import { parseBaseEnv } from "../../src/env.ts"
import { parseApiKey } from "../../src/identity/api-key.ts"
import type { KeyCredential } from "../../src/identity/credential.ts"
import { acceptTurn } from "../../src/turns/accept-turn.ts"
import { cancelTurn } from "../../src/turns/cancel-turn.ts"
import { createTestClock } from "../harness/clock.ts"
import { DEFAULT_HOLD, makeEstate } from "../harness/quota-load.ts"
import { expectNoFaults, watchMoney } from "../harness/quota-watch.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
  await watchMoney(world)
})
afterAll(async () => {
  await expectNoFaults(world)
  await world.close()
})

/** A worker whose clock is a little off. */
function workerAt(offsetMs: number) {
  const clock = createTestClock(world.clock.ms() + offsetMs)
  const quiet = { queue: { publish: async () => {} }, log: () => {} }
  return { ...createContext(parseBaseEnv(world.env), () => {}, { clock }), ...quiet }
}

/** One key with a window that has room for one default hold. */
async function windowedKey() {
  const limits = { key_window: DEFAULT_HOLD, window_seconds: 60 }
  const { clients } = await makeEstate(world, limits, 1)
  const [{ client, space } = { client: null, space: "" }] = clients
  const credential = parseApiKey(client?.key ?? "", "turnpike") as KeyCredential
  const body = { space, end_user_ref: "c", text: "t" }
  const accept = (offsetMs: number) =>
    acceptTurn(workerAt(offsetMs), credential, { idempotencyKey: crypto.randomUUID(), body })
  return { credential, accept }
}

test("a window that a slow clock opened behind an empty later one still counts", async () => {
  const { credential, accept } = await windowedKey()
  const { made: first } = await accept(100)
  await cancelTurn(workerAt(100), credential, first.turn_id)
  const { made: second } = await accept(99)
  expect(second.hold_credit_micros).toBe(DEFAULT_HOLD)
  await expect(accept(101)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", retryAfter: 60 })
})

test("a slow clock counts in the window that a fast one has opened", async () => {
  const { accept } = await windowedKey()
  await accept(500)
  await expect(accept(0)).rejects.toMatchObject({ code: "QUOTA_EXCEEDED", retryAfter: 61 })
})

test("the same request twice, refused at first while room appears for two: one turn, and both get it", async () => {
  const { clients } = await makeEstate(world, { key_daily: 2 * DEFAULT_HOLD }, 1)
  const [{ client, space } = { client: null, space: "" }] = clients
  if (!client) throw new Error("no client")
  const holding = [await turnOf(await client.sendTurn({ space })), await turnOf(await client.sendTurn({ space }))]
  // Both look a second time at once: that is held up, until there is room and until the wallet's lock is taken.
  const again = { service: "pg", match: "take_hold", action: "delay", when: "before" } as const
  await world.plan([{ ...again, call: 3, times: 2, delay_ms: 500 }])
  const twins = Promise.all(["same", "same"].map((key) => client.sendTurn({ space }, key)))
  await new Promise((done) => setTimeout(done, 150))
  for (const { turn_id } of holding) {
    expect((await client.call("POST", `/v1/turns/${turn_id}/cancel`)).status).toBe(200)
  }
  const userId = client.userId
  await new Promise((done) => setTimeout(done, 150))
  await world.sql(
    "with taken as (select 1 from wallets where user_id = $1 for update) select pg_sleep(0.6) from taken",
    [userId],
  )
  const answers = await twins
  await world.clearFaults()
  expect(answers.map(({ status }) => status)).toEqual([202, 202])
  const [one, other] = await Promise.all(answers.map(turnOf))
  expect(one?.turn_id).toBe(other?.turn_id)
})
