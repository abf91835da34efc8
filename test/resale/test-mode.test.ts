import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { createPortalBrowser, makePortal, portalJson } from "../harness/portal.ts"
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

const STEPS = "[steps 4]\n[use input=2000 cached=0 output=100]"

describe("A shop rehearses with a test key", () => {
  test("A price, a wallet, a charge, 402, a credit and the events of the wallet, without any cost", async () => {
    const { userId, client, space, putPrice, bill, credit, balance, ledger, send, spend } = await createSeller(world, {
      usd: 0,
      test: true,
    })
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url, events: ["end_user.balance_low", "end_user.depleted"] })
    await world.drain()
    await putPrice("double", { multiplier: 2 })
    expect((await bill("ada", { price: "double", prepaid: true, low_balance_usd: 0.5 })).body).toMatchObject({
      price: "double",
      prepaid: true,
    })
    expect(await send("ada", 0.01)).toMatchObject({
      status: 402,
      body: { error: { code: "END_USER_CREDIT_SPENT", details: { available_usd: 0, needed_usd: expect.any(Number) } } },
    })
    const estimate = await client.call("POST", "/v1/turns/estimate", { space, end_user_ref: "ada", text: "hello" })
    expect(await estimate.json()).toMatchObject({ admitted: false, refused_by: { code: "END_USER_CREDIT_SPENT" } })
    await credit("ada", 1, "order-1")
    const { body: open } = await send("ada", 0.2)
    expect(open).toMatchObject({ test: true, price: { name: "double", version: 1 }, held_usd: 0 })
    expect(await balance("ada")).toMatchObject({ balance_usd: 1, held_usd: 0.4, available_usd: 0.6 })
    await world.drain()
    expect(await client.getTurn(open.turn_id)).toMatchObject({ billed_cost_usd: 0, end_user_charge_usd: 0.4 })
    await spend("ada", 0.3)
    expect(await balance("ada")).toMatchObject({ balance_usd: 0, held_usd: 0 })
    expect((await ledger("ada")).data).toMatchObject([
      { reason: "usage", amount_usd: -0.6, balance_after_usd: 0 },
      { reason: "usage", amount_usd: -0.4, balance_after_usd: 0.6, turn_id: open.turn_id },
      { reason: "credit", amount_usd: 1, balance_after_usd: 1 },
    ])
    // The refusal has told that the new wallet is empty.
    expect(receiver.received.map(({ event }) => [event.type, event.data.end_user_ref])).toEqual([
      ["end_user.depleted", "ada"],
      ["end_user.balance_low", "ada"],
      ["end_user.depleted", "ada"],
    ])
    const other = await createSeller(world, { of: userId })
    expect((await other.call("GET", "/v1/events?type=end_user.depleted")).body.data, "the live feed").toEqual([])
    expect(
      await world.sql("select ledger_id from ledger where user_id = $1", [userId]),
      "the owner pays nothing",
    ).toEqual([])
    await expectPromises(world, userId)
  })

  test("A turn waits for the credit of its end user, and is asked and charged for as much as the same live turn", async () => {
    const live = await createSeller(world)
    const runs: unknown[] = []
    for (const seller of [live, await createSeller(world, { test: true, of: live.userId })]) {
      const { client, space, putPrice, bill, credit, balance } = seller
      await putPrice("fourfold", { multiplier: 4 })
      await bill("ada", { price: "fourfold" })
      await credit("ada", 0.012)
      const first = await sendUntilItWaits(world, client, { space, end_user_ref: "ada", on_limit: "wait", text: STEPS })
      expect(first.waiting.limit).toMatchObject({ kind: "end_user_credit" })
      const waiting = await balance("ada")
      const missing = (first.waiting.limit?.needed_usd ?? 0) - waiting.available_usd
      await credit("ada", Math.round((missing - 0.0000001) * 1e7) / 1e7)
      await world.drain()
      expect((await client.getTurn(first.turn_id)).waiting).toMatchObject({ for: "limit" })
      await credit("ada", 0.0000001)
      await world.drain()
      const types = (await waiter(client).events(first.turn_id)).map(({ type }) => type)
      expect(types).toContain("turn.resumed")
      await credit("ada", 5)
      await world.drain()
      const { state, end_user_charge_usd: charged } = await client.getTurn(first.turn_id)
      expect([state, (await balance("ada")).held_usd]).toEqual(["done", 0])
      runs.push([types, waiting, missing, charged, (await balance("ada")).balance_usd])
    }
    expect(runs[1]).toEqual(runs[0])
    await expectPromises(world, live.userId)
  })

  test("A turn that waits for its own limit holds its rehearsed cost, and a later turn holds nothing", async () => {
    const { userId, client, space, credit, balance } = await createSeller(world, { usd: 0, test: true })
    await credit("ada", 1)
    const body = { space, end_user_ref: "ada" }
    const first = await sendUntilItWaits(world, client, { ...body, on_limit: "wait", text: STEPS, max_cost_usd: 0.005 })
    expect(first.waiting.limit).toMatchObject({ kind: "max_cost", limit_usd: 0.005 })
    const held = (await balance("ada")).held_usd
    expect([0.0025, 0.005]).toContain(held)
    const { body: later } = await readAnswer(
      client.sendTurn({ ...body, text: "[use input=1000 output=0]\n[reply Later.]" }),
    )
    expect(later).toMatchObject({ waits_behind: first.turn_id })
    expect((await balance("ada")).held_usd).toBe(held)
    expect((await waiter(client).raise(first.turn_id, 0.5)).status).toBe(200)
    await world.drain()
    expect(await client.getTurn(first.turn_id)).toMatchObject({ state: "done", end_user_charge_usd: 0.01 })
    expect(await client.getTurn(later.turn_id)).toMatchObject({ state: "done", end_user_charge_usd: 0.001 })
    expect(await balance("ada")).toMatchObject({ balance_usd: 0.989, held_usd: 0 })
    await expectPromises(world, userId)
  })

  test("Limits of end users bind test turns by their rehearsed cost, with their events, and a block refuses them", async () => {
    const { userId, client, space, call, send, spend } = await createSeller(world, { usd: 0, test: true })
    const receiver = serveReceiver(world)
    await makeWebhook(client, { url: receiver.url, events: ["cap.reached"] })
    await world.drain()
    const limits = (body: object) => call("PUT", "/v1/end-users/ada/limits", body)
    await limits({ daily_usd: 1, monthly_usd: 1.2 })
    await spend("ada", 0.6)
    expect((await call("GET", "/v1/end-users/ada")).body.caps).toMatchObject([
      { cap: "end_user_daily", source: "end_user", limit_usd: 1, spent_usd: 0.6, reserved_usd: 0 },
      { cap: "end_user_monthly", limit_usd: 1.2, spent_usd: 0.6 },
    ])
    const owner = await world.signIn(userId)
    expect((await owner.json("GET", "/api/account/customers?test=true"))[1].items, "the list").toMatchObject([
      { end_user_ref: "ada", daily: { limit_usd: 1, spent_usd: 0.6 }, monthly: { limit_usd: 1.2 }, cap_share: 0.6 },
    ])
    const told = receiver.received.map(({ event: { data } }) => `${data.cap} ${data.percent} ${data.end_user_ref}`)
    expect(told.sort()).toEqual(["end_user_daily 50 ada", "end_user_monthly 50 ada"])
    await spend("ada", 0.4)
    expect(await send("ada", 0.01)).toMatchObject({ status: 429, body: { error: { code: "QUOTA_EXCEEDED" } } })
    expect((await send("bob", 0.01)).status, "another end user").toBe(202)
    await world.advance(86_400_000)
    const waiting = await sendUntilItWaits(world, client, {
      space,
      end_user_ref: "ada",
      on_limit: "wait",
      text: "[steps 3]\n[use input=100000 cached=0 output=0]",
      max_cost_usd: 0.5,
    })
    expect(waiting.waiting.limit).toMatchObject({ kind: "end_user_monthly" })
    await limits({ daily_usd: 1, monthly_usd: 5 })
    await world.drain()
    expect((await client.getTurn(waiting.turn_id)).state).toBe("done")
    await limits({ daily_usd: 1, monthly_usd: 5, blocked: true })
    expect((await send("ada", 0.01)).body.error.code).toBe("END_USER_BLOCKED")
    await expectPromises(world, userId)
  })

  test("Turns that end with their space give their rehearsed holds back, and work is charged", async () => {
    const { userId, client, space, call, credit, balance, send } = await createSeller(world, { usd: 0, test: true })
    for (const ref of ["ada", "bob"]) {
      await call("PUT", `/v1/end-users/${ref}/limits`, { daily_usd: 5 })
      await credit(ref, 1)
    }
    const body = { space, end_user_ref: "ada", on_limit: "wait", text: STEPS, max_cost_usd: 0.005 }
    const waiting = await sendUntilItWaits(world, client, body)
    const { held_usd: cost } = await balance("ada")
    expect(cost).toBeGreaterThan(0)
    const { body: queued } = await send("bob", 0.2)
    expect((await balance("bob")).held_usd).toBe(0.2)
    expect((await client.call("DELETE", `/v1/spaces/${space}`)).status).toBe(200)
    await world.drain()
    for (const id of [waiting.turn_id, queued.turn_id]) expect((await client.getTurn(id)).state).toBe("cancelled")
    expect(await balance("ada")).toMatchObject({ balance_usd: 1 - cost, held_usd: 0 })
    expect(await balance("bob")).toMatchObject({ balance_usd: 1, held_usd: 0 })
    const caps = async (ref: string) => (await call("GET", `/v1/end-users/${ref}`)).body.caps
    expect(await caps("ada")).toMatchObject([{ spent_usd: cost, reserved_usd: 0 }])
    expect(await caps("bob")).toMatchObject([{ spent_usd: 0, reserved_usd: 0 }])
    await expectPromises(world, userId)
  })

  test("Defaults of test keys are apart from those of live keys", async () => {
    const live = await createSeller(world)
    const rehearsal = await createSeller(world, { test: true, of: live.userId })
    await rehearsal.putPrice("standard", { multiplier: 3 })
    const defaults = { key_id: null, price: "standard", prepaid: true }
    expect((await live.call("PUT", "/v1/end-user-defaults", defaults)).status, "no live price of this name").toBe(422)
    expect((await rehearsal.call("PUT", "/v1/end-user-defaults", defaults)).body.data).toMatchObject([defaults])
    const other = { key_id: rehearsal.keyId, price: null, prepaid: false }
    expect((await live.call("PUT", "/v1/end-user-defaults", other)).status, "a test key").toBe(404)
    expect((await live.call("GET", "/v1/end-user-defaults")).body.data).toMatchObject([{ price: null, prepaid: null }])
    expect(await live.balance("ada")).toMatchObject({ prepaid: false, price: null })
    expect(await rehearsal.balance("ada")).toMatchObject({
      prepaid: true,
      prepaid_source: "account",
      price: "standard",
    })
    expect((await rehearsal.send("ada", 0.01)).body.error.code).toBe("END_USER_CREDIT_SPENT")
    expect((await live.send("ada", 0.01)).status).toBe(202)
    expect((await rehearsal.call("DELETE", "/v1/prices/standard")).status, "in use").toBe(409)
    expect((await rehearsal.call("PUT", "/v1/end-user-defaults", other)).status).toBe(200)
    expect((await rehearsal.send("ada", 0.01)).status, "the key's default").toBe(202)
    await world.drain()
  })

  test("The portal of a test key shows the test wallet, and the receipt says test", async () => {
    const live = await createSeller(world)
    const { client, bill, credit, spend, putPrice, call } = await createSeller(world, { test: true, of: live.userId })
    await live.credit("ada", 40)
    await putPrice("double", { multiplier: 2, per_turn_usd: 0.001 })
    await credit("ada", 1)
    await bill("ada", { price: "double" })
    const turn = await spend("ada", 0.1)
    const portal = await createPortalBrowser(world).open(
      await makePortal(client, "ada", { scopes: ["wallet", "turns", "usage"] }),
    )
    const shown = await portalJson(await portal.get("overview"))
    expect(shown.wallet).toMatchObject({
      balance_usd: 0.799,
      entries: [
        { reason: "usage", amount_usd: -0.201 },
        { reason: "credit", amount_usd: 1 },
      ],
    })
    expect((await portalJson(await portal.get("turns"))).data).toMatchObject([
      { turn_id: turn.turn_id, charged_usd: 0.201 },
    ])
    const receipt = await call("GET", `/v1/turns/${turn.turn_id}/receipt`)
    expect(receipt.status, JSON.stringify(receipt.body)).toBe(200)
    expect(receipt.body.end_user_receipt.document).toMatchObject({
      test: true,
      price: { name: "double", version: 1 },
      components: [
        { kind: "model_call", amount_usd: "0.2000000000000" },
        { kind: "turn", amount_usd: "0.0010000000000" },
      ],
      exact_usd: "0.2010000000000",
      charge_usd: "0.2010000",
      paid_from: "wallet",
    })
    expect(receipt.body.receipt.document).toMatchObject({ test: true, total_usd: "0.0000000" })
    expect(await live.balance("ada"), "the live wallet").toMatchObject({ balance_usd: 40, held_usd: 0 })
  })
})
