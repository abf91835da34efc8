import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { TurnEstimate } from "../../src/turns/estimate-turn.ts"
import { COSTS_ALL } from "../harness/account-events.ts"
import { expectPromises } from "../harness/promises.ts"
import { makeWebhook, serveReceiver } from "../harness/receiver.ts"
import { createSeller } from "../harness/resale.ts"
import { sendUntilItWaits, waiter } from "../harness/waiting.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("The wallet of an end user", () => {
  test("A setting that is left out stays as it is", async () => {
    const { credit, bill, balance, putPrice } = await createSeller(world)
    await putPrice("double", { multiplier: 2 })
    await credit("ada", 5)
    await bill("ada", { price: "double" })
    expect((await bill("ada", { low_balance_usd: 2 })).body).toMatchObject({
      prepaid: true,
      price: "double",
      low_balance_usd: 2,
    })
    expect((await bill("ada", { price: null })).body).toMatchObject({ prepaid: true, price: null, low_balance_usd: 2 })
    expect((await bill("ada", { prepaid: null })).body).toMatchObject({ prepaid: false, prepaid_source: "none" })
    expect(await balance("ada")).toMatchObject({ low_balance_usd: 2 })
  })

  test("A credit is booked once, also if its key is repeated after other keys are forgotten", async () => {
    const { credit, balance, call, client, space } = await createSeller(world)
    const { body: first } = await credit("ada", 5, "order-1042")
    await world.advance(9 * 86_400_000)
    await world.sweep()
    const again = await credit("ada", 5, "order-1042")
    expect([again.status, again.body.entry_id]).toEqual([201, first.entry_id])
    expect((await credit("ada", 6, "order-1042")).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED")
    expect(await balance("ada")).toMatchObject({ balance_usd: 5 })
    const webhook = { url: "https://hooks.example.com/a", events: ["turn.done"] }
    expect((await call("POST", "/v1/webhooks", webhook, { "idempotency-key": "of-a-webhook" })).status).toBe(201)
    expect((await credit("ada", 5, "of-a-webhook")).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED")
    expect((await client.sendTurn({ space, end_user_ref: "ada" })).status).toBe(202)
  })

  test("The first credit sets nothing for an end user if a default makes all of them prepaid", async () => {
    const { credit, call, userId } = await createSeller(world)
    await call("PUT", "/v1/end-user-defaults", { prepaid: true })
    await credit("ada", 1)
    const rows = await world.sql("select prepaid from end_users where user_id = $1 and end_user_ref = 'ada'", [userId])
    expect(rows).toEqual([{ prepaid: null }])
  })

  test("The first credit makes an end user prepaid, and a turn holds from both wallets and charges both", async () => {
    const { credit, balance, ledger, send, client, userId, putPrice, bill } = await createSeller(world)
    await putPrice("double", { multiplier: 2 })
    expect(await balance("ada")).toMatchObject({ balance_usd: 0, prepaid: false, prepaid_source: "none", price: null })
    expect(await credit("ada", 5, "order-1", { note: "Order 1" })).toMatchObject({
      status: 201,
      body: { reason: "credit", amount_usd: 5, balance_after_usd: 5, note: "Order 1", turn_id: null },
    })
    expect(await balance("ada")).toMatchObject({ balance_usd: 5, prepaid: true, prepaid_source: "end_user" })
    await bill("ada", { price: "double", prepaid: true })
    const { body: turn } = await send("ada", 0.25)
    expect(await balance("ada")).toMatchObject({ balance_usd: 5, held_usd: 0.5, available_usd: 4.5 })
    expect((await client.call("GET", "/v1/balance").then((answer) => answer.json())) as object).toMatchObject({
      held_usd: 0.25,
    })
    await world.drain()
    expect(await client.getTurn(turn.turn_id)).toMatchObject({ billed_cost_usd: 0.25, end_user_charge_usd: 0.5 })
    expect(await balance("ada")).toMatchObject({ balance_usd: 4.5, held_usd: 0, available_usd: 4.5 })
    const { data } = await ledger("ada")
    expect(data).toMatchObject([
      { reason: "usage", amount_usd: -0.5, balance_after_usd: 4.5, turn_id: turn.turn_id, note: null },
      { reason: "credit", amount_usd: 5, balance_after_usd: 5 },
    ])
    await expectPromises(world, userId)
  })

  test("A turn that the wallet cannot pay for gets 402 with amounts, and holds nothing", async () => {
    const { credit, send, balance, spend, client, space, bill, userId } = await createSeller(world)
    await bill("ada", { prepaid: true })
    const refused = await send("ada", 0.01)
    expect(refused).toMatchObject({
      status: 402,
      body: {
        error: {
          code: "END_USER_CREDIT_SPENT",
          retryable: false,
          details: { balance_usd: 0, held_usd: 0, available_usd: 0, needed_usd: expect.any(Number) },
        },
      },
    })
    const estimate = await client.call("POST", "/v1/turns/estimate", { space, end_user_ref: "ada", text: "hello" })
    const estimated = (await estimate.json()) as TurnEstimate
    expect(estimated).toMatchObject({ admitted: false, refused_by: { code: "END_USER_CREDIT_SPENT" } })
    expect(estimated.refused_by?.details).toMatchObject({ needed_usd: estimated.end_user_needed_usd })
    await credit("ada", 0.02)
    await spend("ada", 0.01)
    expect((await client.call("GET", "/v1/balance").then((answer) => answer.json())) as object).toMatchObject({
      balance_usd: 99.99,
      held_usd: 0,
    })
    expect(await balance("ada")).toMatchObject({ balance_usd: 0.01, held_usd: 0 })
    expect((await send("bob", 0.01)).status, "other end users are not prepaid").toBe(202)
    await world.drain()
    await expectPromises(world, userId)
  })

  test("The hold is as large as the wallet allows, and the turn ends with COST_LIMIT_REACHED when that is used up", async () => {
    const { credit, client, space, balance, userId } = await createSeller(world)
    await credit("ada", 0.03)
    const turn = await client.runTurn({ space, end_user_ref: "ada", text: COSTS_ALL })
    expect(turn).toMatchObject({ billed_cost_usd: 0.03, end_user_charge_usd: 0.03 })
    expect(await balance("ada")).toMatchObject({ balance_usd: 0, held_usd: 0 })
    await expectPromises(world, userId)
  })

  test("A repeated credit is booked once, and another amount under its Idempotency-Key is refused", async () => {
    const { credit, balance, call } = await createSeller(world)
    const first = await credit("ada", 5, "order-1")
    const again = await credit("ada", 5, "order-1")
    expect(again.body).toEqual(first.body)
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect((await credit("ada", 6, "order-1")).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED")
    expect((await credit("bob", 5, "order-1")).body.error.code).toBe("IDEMPOTENCY_KEY_REUSED")
    expect((await call("POST", "/v1/end-users/ada/credits", { amount_usd: 1 })).body.error.code).toBe(
      "IDEMPOTENCY_KEY_REQUIRED",
    )
    expect((await balance("ada")).balance_usd).toBe(5)
  })

  test("A correction takes back at most the available credit", async () => {
    const { credit, send, balance } = await createSeller(world)
    await credit("ada", 1)
    await send("ada", 0.25)
    expect(await credit("ada", -0.8)).toMatchObject({
      status: 409,
      body: { error: { code: "BALANCE_TOO_LOW", details: { available_usd: 0.75 } } },
    })
    expect(await credit("ada", -0.75)).toMatchObject({
      status: 201,
      body: { reason: "correction", amount_usd: -0.75, balance_after_usd: 0.25 },
    })
    await world.drain()
    expect(await balance("ada")).toMatchObject({ balance_usd: 0, held_usd: 0 })
    expect((await credit("eve", -1)).body.error.code).toBe("BALANCE_TOO_LOW")
    expect((await credit("eve", 0)).status).toBe(422)
  })

  test("A refusal does not tell a key of another scope than all what the end user has left", async () => {
    const { userId, credit, space } = await createSeller(world)
    await credit("ada", 0.0001)
    const [row] = await world.sql<{ id: number }>("select space_id::int as id from spaces where slug = $1", [space])
    for (const scope of [{ scope: "space", spaceId: row?.id ?? 0 }, { scope: "created" }] as const) {
      const client = world.createClient(userId, (await world.makeKey(userId, scope)).value)
      const turn = {
        space: scope.scope === "created" ? await client.space() : space,
        end_user_ref: "ada",
        text: "hello",
      }
      const refused = (await (await client.sendTurn(turn)).json()) as { error: object }
      const estimate = (await (await client.call("POST", "/v1/turns/estimate", turn)).json()) as { refused_by: object }
      for (const answer of [refused.error, estimate.refused_by]) {
        expect(answer).toMatchObject({ code: "END_USER_CREDIT_SPENT" })
        expect((answer as { details: object }).details).toEqual({ needed_usd: expect.any(Number) })
        expect(JSON.stringify(answer)).not.toMatch(/0\.0001 USD|available|balance|held/)
      }
    }
  })

  test("All end users of an account can be prepaid, and one of them can be excepted", async () => {
    const { call, send, bill, balance } = await createSeller(world)
    await call("PUT", "/v1/end-user-defaults", { prepaid: true })
    expect((await send("ada", 0.01)).body.error.code).toBe("END_USER_CREDIT_SPENT")
    expect(await balance("ada")).toMatchObject({ prepaid: true, prepaid_source: "account" })
    await bill("ada", { prepaid: false })
    expect((await send("ada", 0.01)).status).toBe(202)
    expect(await balance("ada")).toMatchObject({ prepaid: false, prepaid_source: "end_user", held_usd: 0 })
  })

  test("The ledger has pages, newest first", async () => {
    const { credit, ledger } = await createSeller(world)
    for (let n = 1; n <= 5; n++) await credit("ada", n)
    const first = await ledger("ada", "?limit=2")
    const second = await ledger("ada", `?limit=2&cursor=${first.next_cursor}`)
    const amounts = [first, second].map(({ data }) => data.map(({ amount_usd }: { amount_usd: number }) => amount_usd))
    expect(amounts).toEqual([
      [5, 4],
      [3, 2],
    ])
    expect((await ledger("ada", "?reason=usage")).data).toEqual([])
  })

  test("A cancelled turn gives its holds back to both wallets", async () => {
    const { credit, send, client, balance, userId } = await createSeller(world)
    await credit("ada", 1)
    const { body: turn } = await send("ada", 0.25)
    await client.call("POST", `/v1/turns/${turn.turn_id}/cancel`)
    expect(await balance("ada")).toMatchObject({ balance_usd: 1, held_usd: 0 })
    await expectPromises(world, userId)
  })
})

describe("Events of wallets", () => {
  test("The events end_user.balance_low and end_user.depleted are sent once until credit is added", async () => {
    const { credit, spend, send, client, bill } = await createSeller(world)
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url, events: ["end_user.balance_low", "end_user.depleted"] })
    await world.drain()
    const heard = () => receiver.received.splice(0).map(({ event }) => [event.type, event.data])
    await credit("ada", 1)
    await bill("ada", { prepaid: true, low_balance_usd: 0.5 })
    await spend("ada", 0.5)
    expect(heard()).toEqual([])
    await spend("ada", 0.25)
    const low = { end_user_ref: "ada", balance_usd: 0.25, held_usd: 0, available_usd: 0.25, threshold_usd: 0.5 }
    expect(heard()).toEqual([["end_user.balance_low", low]])
    await spend("ada", 0.25)
    expect(heard()).toEqual([["end_user.depleted", { ...low, balance_usd: 0, available_usd: 0 }]])
    await send("ada", 0.01)
    await world.drain()
    expect(heard()).toEqual([])
    await credit("ada", 0.01)
    await spend("ada", 0.01)
    expect(heard()).toMatchObject([["end_user.depleted", { balance_usd: 0 }]])
  })

  test("The event end_user.balance_low is sent again if the balance falls below a lower threshold", async () => {
    const { credit, spend, client, bill } = await createSeller(world)
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url, events: ["end_user.balance_low"] })
    await credit("ada", 1)
    await spend("ada", 0.1)
    await bill("ada", { low_balance_usd: 0.5 })
    await spend("ada", 0.5)
    const thresholds = receiver.received.map(({ event }) => event.data.threshold_usd)
    expect(thresholds.filter((usd) => usd !== undefined)).toEqual([1, 0.5])
  })

  test("A turn that waits for a wallet continues with exactly the charge that it asks for, and with no unit less", async () => {
    const { credit, client, space, balance, bill, putPrice, userId } = await createSeller(world)
    await putPrice("fourfold", { multiplier: 4 })
    await credit("ada", 0.012)
    await bill("ada", { price: "fourfold" })
    const text = "[steps 4]\n[use input=2000 cached=0 output=100]"
    const first = await sendUntilItWaits(world, client, { space, end_user_ref: "ada", on_limit: "wait", text })
    const { needed_usd, ...limit } = first.waiting.limit ?? { needed_usd: 0 }
    expect(limit).toEqual({ kind: "end_user_credit", limit_usd: null, continue_at_usd: null, resets_at: null })
    const events = async () => {
      const log = await waiter(client).events(first.turn_id)
      return log.filter(({ type }) => type === "turn.waiting" || type === "turn.resumed")
    }
    expect(await events()).toMatchObject([
      { data: { state: "running", waiting: { since: first.waiting.since, limit: first.waiting.limit, calls: [] } } },
    ])
    const unit = 0.0000001
    const isShort = needed_usd - (await balance("ada")).available_usd
    await credit("ada", Math.round((isShort - unit) * 1e7) / 1e7)
    expect((await client.getTurn(first.turn_id)).waiting).toEqual(first.waiting)
    await credit("ada", unit)
    await world.drain()
    expect((await events()).map(({ type }) => type).slice(0, 2)).toEqual(["turn.waiting", "turn.resumed"])
    await credit("ada", 5)
    await world.drain()
    expect(await client.getTurn(first.turn_id)).toMatchObject({ state: "done" })
    await expectPromises(world, userId)
  })

  test("A turn that waits for an end user's credit continues when it is added", async () => {
    const { credit, client, space, balance, userId } = await createSeller(world)
    await credit("ada", 0.03)
    const sent = await client.sendTurn({
      space,
      end_user_ref: "ada",
      on_limit: "wait",
      text: "[use input=200000 output=0]\n[call get_time {}]\n[use input=200000 output=0]\n[reply Done.]",
    })
    const { turn_id } = (await sent.json()) as { turn_id: string }
    await world.drain()
    const waiting = await client.getTurn(turn_id)
    expect(waiting, JSON.stringify(waiting)).toMatchObject({
      state: "running",
      waiting: { for: "limit", limit: { kind: "end_user_credit" } },
    })
    await credit("ada", 5)
    await world.drain()
    expect(await client.getTurn(turn_id)).toMatchObject({ state: "done", waiting: null })
    const turn = await client.getTurn(turn_id)
    expect((await balance("ada")).balance_usd).toBeCloseTo(5.03 - (turn.end_user_charge_usd ?? 0), 7)
    expect((await balance("ada")).held_usd).toBe(0)
    await expectPromises(world, userId)
  })
})
