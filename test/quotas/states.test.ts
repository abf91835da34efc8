import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { signInAdmin } from "../harness/books.ts"
import { CHEAP, CHEAP_USD, cappedAccount } from "../harness/caps.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const MIDNIGHT = "2026-11-21T00:00:00.000Z"
const MONTH_END = "2026-12-01T00:00:00.000Z"
const unspent = (limit_usd: number) => ({ limit_usd, spent_usd: 0, reserved_usd: 0, left_usd: limit_usd })
const LIMITS = "/api/account/limits"

test("Amounts below a millionth are plain decimals in answers, refusals, CSVs and the audit log", async () => {
  const { browser, client, space } = await cappedAccount(world)
  const admin = await signInAdmin(world)
  const limits = { end_user_daily_usd: 9e-7, end_user_monthly_usd: 0.0000002, low_balance_usd: 0.0000001 }
  const put = await (await browser.call("PUT", LIMITS, limits)).text()
  expect(put).toContain('"end_user_daily_usd":0.0000009')
  expect(put).toContain('"end_user_monthly_usd":0.0000002')
  const costly = await client.sendTurn({ space, text: CHEAP, max_cost_usd: 0.0000001 })
  expect([costly.status, await costly.text()]).toEqual([422, expect.stringContaining('"max_cost_usd":0.0000001')])
  const capped = await client.sendTurn({ space, text: CHEAP, end_user_ref: "ada" })
  expect(await capped.text()).toMatch(/of 0\.0000002 USD.*"limit_usd":0\.0000002/)
  const price = { key: "container_second_usd", value: 0.0000009 }
  expect((await admin.json("PUT", "/api/admin/settings", price))[0]).toBe(200)
  const audit = await (await admin.call("GET", "/api/admin/audit?format=csv&action=setting.update")).text()
  expect(audit).toContain("0.0000009")
  expect(put + audit).not.toMatch(/\de-\d/)
})

describe("The remainder of limits", () => {
  test("A key's remainder is shown at /v1/me and in the dashboard for the caps that are set", async () => {
    const caps = { daily_usd: 2, window_usd: 1, window_seconds: 60, end_user_daily_usd: 0.5 }
    const { client, browser, space } = await cappedAccount(world, { caps })
    const before = await client.me()
    expect(before.key.caps).toEqual({ monthly_usd: null, end_user_monthly_usd: null, ...caps })
    const day = { cap: "key_daily", source: "key", ...unspent(2), resets_at: MIDNIGHT }
    const closed = { cap: "key_window", source: "key", ...unspent(1), resets_at: null }
    expect(before.caps).toEqual([day, closed])
    const opened = new Date(world.clock.ms() + 60_000).toISOString()
    expect((await client.estimate({ space })).body.caps).toEqual([
      { cap: "end_user_daily", source: "key", ...unspent(0.5), resets_at: MIDNIGHT },
      day,
      { ...closed, resets_at: opened },
    ])

    await client.send({ space, text: CHEAP })
    const held = { spent_usd: 0, reserved_usd: 0.25 }
    expect((await client.me()).caps).toEqual([
      { ...day, ...held, left_usd: 1.75 },
      { ...closed, ...held, left_usd: 0.75, resets_at: opened },
    ])
    await world.drain()
    const spent = { spent_usd: CHEAP_USD, reserved_usd: 0 }
    const after = [
      { ...day, ...spent, left_usd: 1.9998 },
      { ...closed, ...spent, left_usd: 0.9998, resets_at: opened },
    ]
    expect((await client.me()).caps).toEqual(after)
    const { key, caps: shown } = await client.me()
    const [status, one] = await browser.json("GET", `/api/account/keys/${key.key_id}`)
    expect([status, one.cap_states, one.caps]).toEqual([200, shown, key.caps])
    await world.advance(60_000)
    expect((await client.me()).caps[1]).toEqual(closed)

    const free = await cappedAccount(world)
    expect((await free.client.me()).caps).toEqual([])
    expect((await free.client.estimate({ space: free.space })).body).toMatchObject({ admitted: true, caps: [] })
  })

  test("An end user's remainder follows the limit in effect: the end user's, then the key's, then the account's", async () => {
    const { client, browser, addKey, space } = await cappedAccount(world, { caps: { end_user_daily_usd: 0.5 } })
    const other = await addKey()
    await client.send({ space })
    const held = { spent_usd: 0, reserved_usd: 0.25 }
    const day = { cap: "end_user_daily", source: "key", limit_usd: 0.5, ...held, left_usd: 0.25, resets_at: MIDNIGHT }
    expect((await client.endUser()).caps).toEqual([day])
    expect((await other.endUser()).caps, "this key's default does not apply").toEqual([])

    await browser.json("PUT", LIMITS, { end_user_daily_usd: 2, end_user_monthly_usd: 3 })
    const fromAccount = { ...day, source: "account", limit_usd: 2, left_usd: 1.75 }
    const month = { ...fromAccount, cap: "end_user_monthly", limit_usd: 3, left_usd: 2.75, resets_at: MONTH_END }
    expect((await client.endUser()).caps).toEqual([day, month])
    expect((await other.endUser()).caps).toEqual([fromAccount, month])

    const own = { ...day, source: "end_user", limit_usd: 4, left_usd: 3.75 }
    const saved = await client.putLimits({ daily_usd: 4 })
    expect(saved.caps, "the answer has the limits that it sets").toEqual([own, month])
    expect(await client.endUser()).toEqual(saved)
    expect((await other.endUser()).caps).toEqual([own, month])
    const cleared = await client.putLimits({})
    expect(cleared.caps).toEqual([day, month])
    expect(await client.endUser()).toEqual(cleared)
    const { body } = await client.estimate({ space })
    expect(body.caps).toEqual([day, month])
  })

  test("A cap counts by the time of acceptance over the account, and billed_today_usd by the bill in the key's spaces", async () => {
    const { client, addKey, space } = await cappedAccount(world)
    const narrow = await addKey({ scope: "created" })
    await client.putLimits({ daily_usd: 1, monthly_usd: 1 })
    await narrow.runTurn({ space: await narrow.space(), text: CHEAP })
    expect(await narrow.endUser()).toMatchObject({ billed_today_usd: CHEAP_USD, caps: [{ spent_usd: CHEAP_USD }, {}] })
    await client.send({ space, text: CHEAP })
    await world.advance(Date.parse("2026-11-21T00:00:01Z") - world.clock.ms())
    await world.drain()
    expect(await client.endUser(), "accepted yesterday, billed today").toMatchObject({
      billed_today_usd: CHEAP_USD,
      caps: [{ spent_usd: 0 }, { spent_usd: 2 * CHEAP_USD }],
    })
    expect(await narrow.endUser(), "billed yesterday in a separate space").toMatchObject({
      billed_today_usd: 0,
      billed_this_month_usd: CHEAP_USD,
      caps: [{ spent_usd: 0 }, { spent_usd: 2 * CHEAP_USD }],
    })
  })
})

describe("Limits", () => {
  test("An account's limits can be read and replaced, and wrong limits are refused, with and without a wallet", async () => {
    const { browser, userId } = await cappedAccount(world, { usd: 0 })
    const none = { end_user_daily_usd: null, end_user_monthly_usd: null, low_balance_usd: 1, end_user_rate: null }
    expect(await browser.json("GET", LIMITS)).toEqual([200, none])
    await world.sql("delete from wallets where user_id = $1", [userId])
    expect(await browser.json("GET", LIMITS)).toEqual([200, none])
    const some = { end_user_daily_usd: 0.1234567, end_user_monthly_usd: 0, low_balance_usd: 0, end_user_rate: null }
    expect(await browser.json("PUT", LIMITS, some)).toEqual([200, some])
    expect(await browser.json("GET", LIMITS)).toEqual([200, some])
    expect(await browser.json("PUT", LIMITS, { low_balance_usd: 2.5 })).toEqual([
      200,
      { ...none, low_balance_usd: 2.5 },
    ])
    for (const wrong of [
      { end_user_daily_usd: -1 },
      { end_user_monthly_usd: 0.12345678 },
      { end_user_daily_usd: 1_000_001 },
      { low_balance_usd: null },
      { low_balance_usd: -0.1 },
      { daily_usd: 1 },
      [],
    ]) {
      expect((await browser.json("PUT", LIMITS, wrong))[0], JSON.stringify(wrong)).toBe(422)
    }
    expect(await browser.json("GET", LIMITS), "nothing was written").toEqual([200, { ...none, low_balance_usd: 2.5 }])
    const other = await cappedAccount(world)
    expect(await other.browser.json("GET", LIMITS)).toEqual([200, none])
    expect((await world.invoke(new Request(`https://api.test${LIMITS}`))).status).toBe(401)
  })

  test("A changed limit applies from the next turn on: a raised limit admits, and one below the spend refuses", async () => {
    const { client, browser, space } = await cappedAccount(world, { caps: { daily_usd: 0.25 } })
    const { key } = await client.me()
    const patch = (caps: object) => browser.json("PATCH", `/api/account/keys/${key.key_id}`, { caps })
    const status = async () => (await client.send({ space })).status
    expect([await status(), await status()]).toEqual([202, 429])
    await patch({ daily_usd: 0.5 })
    expect([await status(), await status()]).toEqual([202, 429])
    await patch({ daily_usd: null })
    expect(await status()).toBe(202)
    await world.drain()
    expect(await status(), "the spend is small").toBe(202)
    await patch({ daily_usd: 0.0001 })
    const { body } = await client.send({ space })
    expect(body.error).toMatchObject({ code: "QUOTA_EXCEEDED", details: { cap: "key_daily", left_usd: 0 } })

    await patch({ daily_usd: null })
    await client.putLimits({ daily_usd: 0.01 })
    expect(await status()).toBe(429)
    await browser.json("PUT", LIMITS, { end_user_daily_usd: 0.02 })
    expect(await status(), "the end user's limit precedes the account's").toBe(429)
    await client.putLimits({ daily_usd: 5 })
    expect(await status()).toBe(202)
  })
})

describe("An end user", () => {
  test("An end user shares one limit over all keys, and none with other end users", async () => {
    const { client, addKey, space, userId } = await cappedAccount(world)
    const other = await addKey({ caps: { end_user_daily_usd: 0.3 } })
    await client.putLimits({ daily_usd: 0.4 })
    expect((await client.send({ space })).body.held_usd).toBe(0.25)
    expect((await other.send({ space })).body.held_usd).toBe(0.15)
    for (const one of [client, other]) {
      expect((await one.send({ space })).body.error.details).toMatchObject({
        cap: "end_user_daily",
        source: "end_user",
        reserved_usd: 0.4,
      })
      expect((await one.send({ space, end_user_ref: "customer-2" })).status).toBe(202)
    }
    // Without an end user's limit, the key's default also counts spend through other keys.
    await client.putLimits({})
    expect((await other.send({ space })).body.error.details).toMatchObject({ source: "key", limit_usd: 0.3 })
    expect((await client.send({ space })).status).toBe(202)
    await world.drain()
    await expectPromises(world, userId)
  })
})

test("A test key's own caps and live limits bind no test turn, and neither they nor the web chat count in them", async () => {
  const caps = {
    daily_usd: 0,
    monthly_usd: null,
    window_usd: 0,
    window_seconds: 60,
    end_user_daily_usd: 0,
    end_user_monthly_usd: 0,
  }
  const { client, browser, addKey, space } = await cappedAccount(world, { caps })
  await browser.json("PUT", LIMITS, { end_user_daily_usd: 0 })
  const ownCaps = { daily_usd: 0, window_usd: 0, window_seconds: 60 }
  const tester = await addKey({ test: true, caps: ownCaps })
  const own = await tester.space()
  expect((await tester.estimate({ space: own })).body).toEqual({
    admitted: true,
    hold_usd: 0,
    needed_usd: 0,
    refused_by: null,
    on_limit: "fail",
    end_user_needed_usd: null,
    model: "rehearsal/standard",
    caps: [],
    balance: null,
  })
  expect(await tester.runTurn({ space: own })).toMatchObject({ state: "done", test: true, billed_cost_usd: 0 })
  const { key, caps: states } = await tester.me()
  expect([key.caps, states]).toMatchObject([ownCaps, []])
  expect(await tester.endUser()).toMatchObject({ caps: [] })
  const [, shown] = await browser.json("GET", `/api/account/keys/${key.key_id}`)
  expect(shown).toMatchObject({ caps: ownCaps, cap_states: [] })

  expect((await client.send({ space })).status).toBe(429)
  const [status, chat] = await browser.json("POST", "/api/account/chat/turns", { space, text: "hello" })
  expect([status, chat.held_usd]).toEqual([202, 0.25])
  await world.drain()
  expect((await client.me()).caps.map((state: { spent_usd: number }) => state.spent_usd)).toEqual([0, 0])
})
