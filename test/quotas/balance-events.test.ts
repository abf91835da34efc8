import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { topUp } from "../../src/ops/seed.ts"
import { COSTS_ALL, createWatched, sendFor } from "../harness/account-events.ts"
import { signInAdmin } from "../harness/books.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const credit = (userId: number, usd: number) =>
  topUp(world.sql, { userId, micros: usd * 10_000_000, reason: "manual_topup", actor: "test", now: world.clock.now() })

/** Changes a balance as an administrator would, with its ledger row. */
const correct = (userId: number, usd: number) =>
  topUp(world.sql, { userId, micros: usd * 10_000_000, reason: "admin_action", actor: "test", now: world.clock.now() })

const types = (events: { type: string }[]) => events.map(({ type }) => type)

describe("The event balance.low", () => {
  test("The event is sent when the balance falls below 1 USD, and again after it has recovered", async () => {
    const { userId, spend, heard } = await createWatched(world, { usd: 1.5 })
    await spend(0.5)
    expect(heard(), "1 USD is not below 1 USD").toEqual([])
    await spend(0.1)
    const [low, ...more] = heard()
    expect(more).toEqual([])
    expect(low).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-hjkmnp-tv-z]{26}$/),
      type: "balance.low",
      created_at: world.clock.now().toISOString(),
      seq: null,
      data: { balance_usd: 0.9, held_usd: 0, available_usd: 0.9, threshold_usd: 1 },
    })
    await spend(0.1)
    await credit(userId, 0.1)
    await spend(0.1)
    expect(heard(), "it was never above the threshold").toEqual([])
    await world.advance(60_000)
    await credit(userId, 0.5)
    expect(heard()).toEqual([])
    await spend(0.4)
    expect(heard().map(({ data }) => data.balance_usd)).toEqual([0.9])
  })

  test("The account can set and change the threshold, and 0 disables the event", async () => {
    const { userId, spend, heard } = await createWatched(world, { usd: 3 })
    const told = () => heard().map(({ data }) => [data.balance_usd, data.threshold_usd])
    const setThreshold = (usd: number) =>
      world.sql("update wallets set low_balance_credit_micros = $2 where user_id = $1", [userId, usd * 10_000_000])
    await setThreshold(0)
    await spend(2.5)
    expect(heard()).toEqual([])
    await setThreshold(2)
    await spend(0.1)
    expect(told()).toEqual([[0.4, 2]])
    await setThreshold(0.3)
    await spend(0.2)
    expect(told()).toEqual([[0.2, 0.3]])
    await spend(0.1)
    expect(told()).toEqual([])
    await credit(userId, 1)
    await setThreshold(5)
    await spend(0.1)
    expect(told(), "the balance was above the threshold in between").toEqual([[1, 5]])
  })

  test("A balance that was always small is reported with its first charge and the credit held at that time", async () => {
    const { client, space, spend, heard, feed } = await createWatched(world, { usd: 0.5 })
    await client.sendTurn({ space, text: "[think 60000 ms]", max_cost_usd: 0.2, end_user_ref: "slow" })
    const { turn_id } = (await (await sendFor(client, 0.1, { space })).json()) as { turn_id: string }
    const running = world.drain()
    await world.clock.sleeping(1, 60_000)
    while ((await client.getTurn(turn_id)).state !== "done");
    expect((await feed("balance.low")).map(({ data }) => data)).toEqual([
      { balance_usd: 0.4, held_usd: 0.2, available_usd: 0.2, threshold_usd: 1 },
    ])
    await world.advance(60_000)
    await running
    await spend(0.01)
    expect(types(heard())).toEqual(["balance.low"])
  })
})

describe("The event balance.depleted", () => {
  test("The event is sent with balance.low when all credit is used at once, and again after a credit", async () => {
    const { userId, spend, refused, heard } = await createWatched(world, { usd: 2 })
    await spend(2)
    const events = heard()
    expect(types(events)).toEqual(["balance.low", "balance.depleted"])
    expect(events[1]?.data).toEqual({ balance_usd: 0, held_usd: 0, available_usd: 0, threshold_usd: 1 })
    await refused(402)
    expect(heard()).toEqual([])
    await credit(userId, 0.2)
    await spend(0.2)
    expect(types(heard()), "the balance has been low since before").toEqual(["balance.depleted"])
  })

  test("The first 402 without held credit sends the event, once until there is credit", async () => {
    const { client, userId, space, spend, refused, heard } = await createWatched(world, { usd: 2 })
    await spend(1.9999)
    expect(types(heard())).toEqual(["balance.low"])
    await refused(402)
    const [depleted, ...more] = heard()
    expect(more).toEqual([])
    expect(depleted).toMatchObject({
      type: "balance.depleted",
      created_at: world.clock.now().toISOString(),
      data: { balance_usd: 0.0001, held_usd: 0, available_usd: 0.0001, threshold_usd: 1 },
    })
    await refused(402)
    await refused(402, { end_user_ref: "another" })
    expect(heard()).toEqual([])
    await credit(userId, 0.05)
    await refused(402, { text: "x".repeat(90_000), max_cost_usd: 1 })
    expect(heard(), "shorter turns are still accepted").toEqual([])
    const held = await client.sendTurn({ space, max_cost_usd: 0.0501, text: "[use input=5000 output=0]" })
    expect(held.status).toBe(202)
    expect((await client.sendTurn({ space })).status).toBe(402)
    const { data } = (await (await client.call("GET", "/v1/events?type=balance.depleted")).json()) as { data: object[] }
    expect(data, "held credit may be released").toHaveLength(1)
    await world.drain()
    expect(heard()).toEqual([])
    await spend(0.045)
    await refused(402)
    expect(types(heard())).toEqual(["balance.depleted"])
  })

  test("An administrator's correction counts as any other change and is reported within a minute", async () => {
    const { userId, heard } = await createWatched(world, { usd: 2 })
    await correct(userId, -1.5)
    await world.sweep()
    await world.drain()
    expect(types(heard())).toEqual(["balance.low"])
    await correct(userId, -0.5)
    await world.sweep()
    await world.drain()
    expect(types(heard())).toEqual(["balance.depleted"])
    await correct(userId, 2)
    await correct(userId, -1.9)
    await world.sweep()
    await world.drain()
    expect(types(heard())).toEqual(["balance.low"])
  })

  test("Web chat spends the balance too, and turns of test keys do not", async () => {
    const { userId, space, heard } = await createWatched(world, { usd: 1.05 })
    const tester = world.createClient(userId, (await world.makeKey(userId, { scope: "all", test: true })).value)
    await tester.runTurn({ space: await tester.space(), text: COSTS_ALL })
    expect(heard()).toEqual([])
    const browser = await world.signIn(userId)
    const chat = (usd: number) =>
      browser.json("POST", "/api/account/chat/turns", { space, text: COSTS_ALL, max_cost_usd: usd })
    expect((await chat(0.1))[0]).toBe(202)
    await world.drain()
    expect(types(heard())).toEqual(["balance.low"])
    expect((await chat(0.9499))[0]).toBe(202)
    await world.drain()
    expect((await chat(0.25))[0]).toBe(402)
    await world.drain()
    expect(types(heard())).toEqual(["balance.depleted"])
    await tester.runTurn({ space: await tester.space() })
    expect(heard()).toEqual([])
  })
})

test("An event after an admin's correction has the time of its booking, not of the previous entry", async () => {
  const { userId, feed } = await createWatched(world, { usd: 1.5 })
  world.clock.advance(86_400_000)
  const admin = await signInAdmin(world)
  const correction = { reason: "admin_action", amount_usd: -1.5, note: "Booked by mistake." }
  const headers = { "idempotency-key": crypto.randomUUID() }
  const [status, entry] = await admin.json("POST", `/api/admin/users/${userId}/credits`, correction, headers)
  expect(status).toBe(201)
  for (const type of ["balance.low", "balance.depleted"]) {
    expect(await feed(type), type).toMatchObject([{ type, created_at: entry.created_at, data: { balance_usd: 0 } }])
  }
})
