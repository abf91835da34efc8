import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { SetCaps } from "../../src/keys/caps.ts"
import { type CappedAccount, CHEAP, CHEAP_USD, cappedAccount, NEEDED_USD } from "../harness/caps.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const MIDNIGHT_MS = 86_400_000
const midnight = () => new Date(Math.ceil((world.clock.ms() + 1) / MIDNIGHT_MS) * MIDNIGHT_MS)
function monthEnd() {
  const now = world.clock.now()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
}

interface Case {
  cap: string
  source: string
  /** The name of each cap in the message. */
  words: string
  caps?: SetCaps
  set?: (account: CappedAccount) => Promise<unknown>
  resets: () => Date
}

const WORDS = { daily: "The end user's daily limit", monthly: "The end user's monthly limit" }
const account = (limits: object) => (one: CappedAccount) => one.browser.json("PUT", "/api/account/limits", limits)
const own = (limits: object) => (one: CappedAccount) => one.client.putLimits(limits)
const daily = { cap: "end_user_daily", words: WORDS.daily, resets: midnight }
const monthly = { cap: "end_user_monthly", words: WORDS.monthly, resets: monthEnd }

const CASES: Case[] = [
  { cap: "key_daily", source: "key", words: "The key's daily cap", caps: { daily_usd: 0.3 }, resets: midnight },
  { cap: "key_monthly", source: "key", words: "The key's monthly cap", caps: { monthly_usd: 0.3 }, resets: monthEnd },
  {
    cap: "key_window",
    source: "key",
    words: "The cap of the key's window",
    caps: { window_usd: 0.3, window_seconds: 5400 },
    resets: () => new Date(world.clock.ms() + 5_400_000),
  },
  { ...daily, source: "end_user", set: own({ daily_usd: 0.3 }) },
  { ...daily, source: "key", caps: { end_user_daily_usd: 0.3 } },
  { ...daily, source: "account", set: account({ end_user_daily_usd: 0.3 }) },
  { ...monthly, source: "end_user", set: own({ monthly_usd: 0.3 }) },
  { ...monthly, source: "key", caps: { end_user_monthly_usd: 0.3 } },
  { ...monthly, source: "account", set: account({ end_user_monthly_usd: 0.3 }) },
]

describe.each(CASES)("$cap of the $source", ({ cap, source, words, caps, set, resets }) => {
  test("The cap refuses with all details and admits after exactly Retry-After", async () => {
    const one = await cappedAccount(world, caps ? { caps } : {})
    const { client, space, userId } = one
    await set?.(one)
    const until = resets()
    const resets_at = until.toISOString()
    // A spent amount, a whole default hold, and the rest of the cap.
    expect(await client.runTurn({ space, text: CHEAP })).toMatchObject({ billed_cost_usd: CHEAP_USD })
    await world.advance(1_800_000)
    expect((await client.send({ space })).body.held_usd).toBe(0.25)
    expect((await client.send({ space })).body.held_usd).toBe(0.0498)

    const state = { cap, source, limit_usd: 0.3, spent_usd: 0.0002, reserved_usd: 0.2998, left_usd: 0, resets_at }
    const refused = await client.send({ space })
    const seconds = (until.getTime() - world.clock.ms()) / 1000
    expect(refused).toEqual({
      status: 429,
      retryAfter: seconds,
      body: {
        error: {
          code: "QUOTA_EXCEEDED",
          message: `${words} of 0.3 USD is reached: 0.0002 USD spent, 0.2998 reserved by turns under way. It resets at ${resets_at}.`,
          details: { ...state, needed_usd: NEEDED_USD, exceeded: [state] },
          retryable: true,
          request_id: expect.stringMatching(/^req_/),
        },
      },
    })
    const { code, message, details } = refused.body.error
    expect((await client.estimate({ space })).body).toEqual({
      admitted: false,
      hold_usd: 0,
      needed_usd: NEEDED_USD,
      end_user_needed_usd: null,
      on_limit: "fail",
      model: "rehearsal/standard",
      refused_by: { code, message, details, retry_after: seconds, retryable: true },
      balance: { balance_usd: 9.9998, held_usd: 0.2998, available_usd: 9.7 },
      caps: [state],
    })
    const shown = cap.startsWith("key") ? (await client.me()).caps : (await client.endUser()).caps
    expect(shown).toEqual([state])

    await world.advance(seconds * 1000 - 1)
    expect(await client.send({ space })).toMatchObject({ status: 429, retryAfter: 1 })
    await world.advance(1)
    expect(await client.send({ space })).toMatchObject({ status: 202, body: { held_usd: 0.25 } })
    // The sweeper expires turns that waited too long, so that the last turn can run.
    await world.sweep()
    await world.drain()
    await expectPromises(world, userId)
  })

  test("A cap of 0 refuses all turns at any time", async () => {
    const zeros = Object.fromEntries(
      Object.entries(caps ?? {}).map(([name, value]) => [name, name.endsWith("usd") ? 0 : value]),
    )
    const one = await cappedAccount(world, caps ? { caps: zeros } : {})
    const { client, space } = one
    const name = cap === "end_user_daily" ? "daily_usd" : "monthly_usd"
    if (source === "end_user") await client.putLimits({ [name]: 0 })
    if (source === "account") await account({ [`end_user_${name}`]: 0 })(one)
    const resets_at = resets().toISOString()
    const state = { cap, source, limit_usd: 0, spent_usd: 0, reserved_usd: 0, left_usd: 0, resets_at }
    for (const body of [{ space }, { space, max_cost_usd: NEEDED_USD }]) {
      const refused = await client.send(body)
      expect(refused).toMatchObject({
        status: 429,
        retryAfter: null,
        body: { error: { details: { ...state, needed_usd: NEEDED_USD, exceeded: [state] }, retryable: false } },
      })
      expect(refused.body.error.message).toBe(
        `${words} of 0 USD is too small: this turn needs at least ${NEEDED_USD.toFixed(7).replace(/\.?0+$/, "")} USD. Raise it.`,
      )
      const { code, message, details } = refused.body.error
      const refused_by = { code, message, details, retry_after: null, retryable: false }
      expect((await client.estimate(body)).body.refused_by).toEqual(refused_by)
    }
  })
})

test("The refusal names the cap that resets last, but first of all a cap that is always too small", async () => {
  const caps = {
    daily_usd: 0.1,
    window_usd: 0.1,
    window_seconds: 60,
    end_user_daily_usd: 0.1,
    end_user_monthly_usd: 0.1,
  }
  const one = await cappedAccount(world, { caps })
  const { client, space } = one
  expect((await client.send({ space })).body.held_usd).toBe(0.1)
  const named = async () => {
    const { retryAfter, body } = await client.send({ space })
    const { cap, exceeded } = body.error.details
    return [cap, retryAfter, exceeded.map((state: { cap: string }) => state.cap)]
  }
  const seconds = (until: Date) => (until.getTime() - world.clock.ms()) / 1000
  expect(await named()).toEqual([
    "end_user_monthly",
    seconds(monthEnd()),
    ["key_window", "end_user_daily", "key_daily", "end_user_monthly"],
  ])
  await client.putLimits({ monthly_usd: 5 })
  expect(await named()).toEqual(["key_daily", seconds(midnight()), ["key_window", "end_user_daily", "key_daily"]])
  // The end user's daily limit is too small for any turn, although others reset later.
  await client.putLimits({ daily_usd: 0.0000001 })
  expect(await named()).toEqual([
    "end_user_daily",
    null,
    ["key_window", "key_daily", "end_user_monthly", "end_user_daily"],
  ])
})

test("The balance is checked before the caps: a 402 has no Retry-After", async () => {
  const { client, space } = await cappedAccount(world, { usd: 0.25, caps: { daily_usd: 0.25 } })
  expect((await client.send({ space })).status).toBe(202)
  const refused = await client.send({ space })
  expect(refused).toMatchObject({ status: 402, retryAfter: null, body: { error: { retryable: false } } })
  const { code, message, details } = refused.body.error
  expect(details).toEqual({ balance_usd: 0.25, held_usd: 0.25, available_usd: 0 })
  const { body } = await client.estimate({ space })
  expect(body).toMatchObject({ admitted: false, hold_usd: 0, needed_usd: NEEDED_USD })
  expect(body.refused_by).toEqual({ code, message, details, retry_after: null, retryable: false })
})

test("A refusal stores nothing, and the repeat of an accepted turn is answered under any cap", async () => {
  const { client, space, userId } = await cappedAccount(world, { caps: { daily_usd: 0.25 } })
  const sent = await client.sendTurn({ space }, "one")
  expect((await client.sendTurn({ space }, "two")).status).toBe(429)
  expect((await client.sendTurn({ space }, "one")).headers.get("idempotent-replayed")).toBe("true")
  const { turn_id } = (await sent.json()) as { turn_id: string }
  await client.call("POST", `/v1/turns/${turn_id}/cancel`)
  expect((await client.sendTurn({ space }, "two")).status).toBe(202)
  await world.drain()
  await expectPromises(world, userId)
})
