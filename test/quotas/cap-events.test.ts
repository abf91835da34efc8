import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { RUNNER_POLICY } from "../../src/turns/policies.ts"
import { COSTS_ALL, createWatched, percents } from "../harness/account-events.ts"
import { makeWebhook, serveReceiver, verifies } from "../harness/receiver.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const DAY_MS = 86_400_000

const webhooksOf = async (client: TestClient) =>
  ((await (await client.call("GET", "/v1/webhooks")).json()) as { data: [{ webhook_id: string }] }).data[0]

describe("The event cap.reached", () => {
  test("The event is sent once each at 50, 80 and 100 % of spend, and again on the next day", async () => {
    const { spend, refused, heard, keyId } = await createWatched(world, { caps: { daily_usd: 0.1 } })
    await spend(0.04)
    expect(heard()).toEqual([])
    await spend(0.02)
    const [half, ...more] = heard()
    expect(more).toEqual([])
    expect(half).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      type: "cap.reached",
      created_at: world.clock.now().toISOString(),
      seq: null,
      data: {
        cap: "key_daily",
        source: "key",
        percent: 50,
        limit_usd: 0.1,
        spent_usd: 0.06,
        reserved_usd: 0,
        resets_at: "2026-11-21T00:00:00.000Z",
        key_id: keyId,
        end_user_ref: null,
        space: null,
      },
    })
    await spend(0.01)
    expect(heard()).toEqual([])
    await spend(0.01)
    expect(percents(heard())).toEqual([80])
    await spend(0.02)
    expect(percents(heard())).toEqual([100])
    await refused(429)
    expect(heard()).toEqual([])
    await world.advance(DAY_MS)
    await spend(0.05)
    expect(percents(heard())).toEqual([50])
  })

  test("The event is sent again when the limit changes, and not when it is set to the same value", async () => {
    const { client, spend, heard, keyId } = await createWatched(world, { caps: { daily_usd: 0.1 } })
    const browser = await world.signIn(client.userId)
    const raise = async (daily_usd: number) => {
      const answer = await browser.call("PATCH", `/api/account/keys/${keyId}`, { caps: { daily_usd } })
      expect(answer.status).toBe(200)
    }
    await spend(0.09)
    expect(percents(heard())).toEqual([50, 80])
    await raise(0.2)
    await spend(0.02)
    expect(heard().map(({ data }) => [data.percent, data.limit_usd])).toEqual([[50, 0.2]])
    await raise(0.2)
    await spend(0.01)
    expect(heard()).toEqual([])
    await raise(0.15)
    await spend(0.01)
    expect(percents(heard())).toEqual([50, 80])
  })

  test("A charge that passes two levels sends both events, and reserved credit sends none", async () => {
    const { client, space, spend, heard } = await createWatched(world, { caps: { daily_usd: 0.1 } })
    const held = await client.sendTurn({ space, max_cost_usd: 0.1, text: "[use input=10 output=1]" })
    expect(held.status).toBe(202)
    await world.drain()
    expect(heard()).toEqual([])
    await spend(0.085)
    const events = heard()
    expect(percents(events)).toEqual([50, 80])
    expect(events.map(({ id }) => id)).toEqual([...events.map(({ id }) => id)].sort())
  })

  test("A customer's cap sends the event wherever the limit is set, for months and windows as well as days", async () => {
    const { client, keyId, userId, spend, heard } = await createWatched(world, {
      caps: { end_user_daily_usd: 0.1, end_user_monthly_usd: 0.2, window_usd: 0.05, window_seconds: 3600 },
    })
    await client.call("PUT", "/v1/end-users/own/limits", { daily_usd: 0.02 })
    await world.sql("update wallets set end_user_daily_credit_micros = 400000 where user_id = $1", [userId])
    const told = () =>
      heard().map(({ data }) => [data.cap, data.source, data.percent, data.key_id, data.end_user_ref, data.resets_at])
    const start = world.clock.ms()
    await spend(0.012, { end_user_ref: "own" })
    const midnight = new Date(Math.ceil(start / DAY_MS) * DAY_MS).toISOString()
    expect(told()).toEqual([["end_user_daily", "end_user", 50, null, "own", midnight]])
    await spend(0.03, { end_user_ref: "other" })
    const windowEnd = new Date(start + 3_600_000).toISOString()
    expect(told()).toEqual([
      ["key_window", "key", 50, keyId, null, windowEnd],
      ["key_window", "key", 80, keyId, null, windowEnd],
    ])
    await world.advance(3_600_000)
    await spend(0.03, { end_user_ref: "other" })
    expect(told().sort()).toEqual([
      ["end_user_daily", "key", 50, keyId, "other", midnight],
      ["key_window", "key", 50, keyId, null, new Date(start + 2 * 3_600_000).toISOString()],
    ])
  })

  test("Each limit of an end user sends the event once per period: two keys may have different defaults, and one may be raised", async () => {
    const { client, userId, keyId, keyWith, spend, heard } = await createWatched(world, {
      caps: { end_user_daily_usd: 0.1 },
    })
    const rich = await keyWith({ end_user_daily_usd: 1 })
    await spend(0.08)
    expect(percents(heard())).toEqual([50, 80])
    await spend(0.47, { by: rich.client })
    expect(heard().map(({ data }) => [data.percent, data.limit_usd])).toEqual([[50, 1]])
    await spend(0.3, { by: rich.client })
    expect(heard().map(({ data }) => [data.percent, data.limit_usd])).toEqual([[80, 1]])
    await spend(0.15, { by: rich.client })
    const [full, ...more] = heard()
    expect(more).toEqual([])
    expect(full?.data).toMatchObject({ percent: 100, limit_usd: 1, spent_usd: 1, key_id: rich.keyId })
    await world.sql("update api_keys set end_user_daily_credit_micros = 100000000 where user_id = $1", [userId])
    await spend(8)
    expect(heard().map(({ data }) => [data.percent, data.limit_usd])).toEqual([
      [50, 10],
      [80, 10],
    ])
    await client.call("PUT", "/v1/end-users/fresh/limits", { daily_usd: 0.01 })
    await spend(0.005, { end_user_ref: "fresh" })
    expect(heard().map(({ data }) => [data.percent, data.source, data.key_id])).toEqual([[50, "end_user", null]])
    expect(keyId).not.toBe(rich.keyId)
  })

  test("The event for 100 % is sent when the rest is too small for any turn, not when one turn is too large for it", async () => {
    const { client, space, spend, refused, heard } = await createWatched(world, { caps: { daily_usd: 0.1 } })
    await spend(0.07)
    heard()
    await refused(429, { text: "x".repeat(90_000), max_cost_usd: 1 })
    expect(heard(), "other turns are still accepted").toEqual([])
    // Nearly all of the rest is reserved, not spent.
    const queued = await client.sendTurn({ space, text: "[use input=29900 output=0]", max_cost_usd: 0.0299999 })
    expect(queued.status).toBe(202)
    expect((await client.sendTurn({ space })).status).toBe(429)
    expect((await client.sendTurn({ space, end_user_ref: "b" })).status).toBe(429)
    expect(await client.call("GET", "/v1/events?type=cap.reached").then((answer) => answer.json())).toMatchObject({
      data: [{ data: { percent: 50 } }],
    })
    await world.drain()
    expect(percents(heard())).toEqual([80])
    await refused(429)
    const [end, ...more] = heard()
    expect(more).toEqual([])
    expect(end?.data).toMatchObject({ percent: 100, limit_usd: 0.1, spent_usd: 0.0999, reserved_usd: 0 })
    await refused(429)
    await refused(429, { end_user_ref: "c" })
    expect(heard()).toEqual([])
  })

  test("The event for 100 % is not sent while a running turn holds some of the rest", async () => {
    const { client, space, spend, refused, heard } = await createWatched(world, { caps: { daily_usd: 0.1 } })
    await spend(0.09981)
    expect(percents(heard())).toEqual([50, 80])
    const held = await client.sendTurn({ space, max_cost_usd: 0.00019, text: "[use input=40 output=0]" })
    expect(held.status).toBe(202)
    expect((await client.sendTurn({ space })).status).toBe(429)
    await world.drain()
    expect(heard()).toEqual([])
    await refused(429)
    expect(heard().map(({ data }) => [data.percent, data.spent_usd, data.reserved_usd])).toEqual([[100, 0.09985, 0]])
  })

  test("The event costs no further statement: 3 for a turn, and one publish for a refusal that sends it", async () => {
    const { client, keyWith } = await createWatched(world)
    const { client: capped } = await keyWith({ daily_usd: 0.1, end_user_daily_usd: 0.1, end_user_monthly_usd: 0.1 })
    const { webhook_id } = await webhooksOf(client)
    const space = await capped.space()
    const statements = async (act: () => Promise<unknown>) => {
      await world.plan([])
      await act()
      await world.settled()
      const calls = (await world.calls()).filter(({ service }) => service === "pg")
      await world.clearFaults()
      return calls.length
    }
    await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { enabled: false })
    // After a time without turns, no runner keeps looking for more.
    await world.advance(RUNNER_POLICY.busyMs + 1)
    const turn = async () => {
      await capped.sendTurn({ space, max_cost_usd: 0.0999, text: COSTS_ALL })
      await world.drain()
    }
    // Few turns arrive now, so their runner does not look again after it finds none.
    await world.advance(RUNNER_POLICY.busyMs + 1)
    expect(await statements(turn)).toBe(3)
    await client.call("PATCH", `/v1/webhooks/${webhook_id}`, { enabled: true })
    const refuse = async () => expect((await capped.sendTurn({ space })).status).toBe(429)
    expect(await statements(refuse), "one look, one wake, and the note for the owner").toBe(3)
    expect(await statements(refuse)).toBe(1)
  })

  test("A cap that is too small for any turn is reported once per day, and a window without spend has not started", async () => {
    const { client, refused, heard } = await createWatched(world, {
      caps: { window_usd: 0.000001, window_seconds: 60 },
    })
    await refused(429)
    await refused(429)
    expect(heard()).toEqual([])
    await client.call("PUT", "/v1/end-users/none/limits", { daily_usd: 0 })
    await refused(429, { end_user_ref: "none" })
    await refused(429, { end_user_ref: "none" })
    expect(heard().map(({ data }) => [data.cap, data.percent, data.spent_usd])).toEqual([["end_user_daily", 100, 0]])
  })

  test("The event is signed, equal in the feed, replayed unchanged, and only sent to endpoints of the whole account", async () => {
    const account = await createWatched(world, { caps: { daily_usd: 0.1 } })
    const { client, userId, receiver, webhookId, space, spend, feed } = account
    const narrow = world.createClient(userId, (await world.makeKey(userId, {})).value)
    const [deaf, late, tests] = [serveReceiver(world), serveReceiver(world), serveReceiver(world)]
    await makeWebhook(narrow, { url: deaf.url })
    const ofTests = world.createClient(userId, (await world.makeKey(userId, { scope: "all", test: true })).value)
    await makeWebhook(ofTests, { url: tests.url })
    const other = await makeWebhook(client, { url: late.url, events: ["cap.reached"] })
    await spend(0.09)
    const sent = receiver.received.map(({ body }) => body)
    expect(sent).toHaveLength(2)
    expect(late.received.map(({ body }) => body)).toEqual(sent)
    expect(verifies(other.secret, late.received[0] as never)).toBe(true)
    expect([deaf.received, tests.received]).toEqual([[], []])
    for (const { headers, body } of receiver.received) {
      const read = (who = client) => who.call("GET", `/v1/events/${headers["webhook-id"]}`)
      expect(await (await read()).text()).toBe(body)
      expect([(await read(narrow)).status, (await read(ofTests)).status]).toEqual([404, 404])
    }
    expect(percents(await feed("cap.reached"))).toEqual([80, 50])
    // The customer is erased and more credit is spent: the event that was sent stays unchanged.
    await client.call("DELETE", "/v1/end-users/customer-1")
    await spend(0.005)
    const from = new Date(world.clock.ms() - 60_000).toISOString()
    const replay = await client.call("POST", `/v1/webhooks/${webhookId}/replay`, { from, include_delivered: true })
    expect(await replay.json()).toMatchObject({ replayed: 2 })
    receiver.received.length = 0
    await world.drain()
    expect(receiver.received.map(({ body }) => body)).toEqual(sent)
    expect(space).toMatch(/^spc_/)
  })

  test("A turn of a test key whose end user has no limit sends no event", async () => {
    const { userId, feed } = await createWatched(world)
    const key = await world.makeKey(userId, { scope: "all", test: true, caps: { daily_usd: 0 } })
    const tester = world.createClient(userId, key.value)
    expect((await tester.runTurn({ space: await tester.space(), text: COSTS_ALL })).state).toBe("done")
    expect(await feed("cap.reached")).toEqual([])
    const page = (await (await tester.call("GET", "/v1/events?limit=100")).json()) as { data: { type: string }[] }
    expect(page.data.map(({ type }) => type).sort()).toEqual(["turn.done", "turn.queued", "turn.running"])
  })
})
