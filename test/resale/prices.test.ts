import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { expectPromises } from "../harness/promises.ts"
import { createSeller } from "../harness/resale.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

describe("The price of an end user", () => {
  test("A turn is charged by the price of its end user, else of its key, else of the account", async () => {
    const { putPrice, bill, call, spend, keyId, userId } = await createSeller(world)
    expect((await spend("ada", 0.01)).end_user_charge_usd, "no price").toBeNull()
    for (const [name, multiplier] of Object.entries({ retail: 2, partner: 1.5, friend: 0.5 })) {
      expect(await putPrice(name, { multiplier })).toMatchObject({
        status: 200,
        body: { name, version: 1, multiplier },
      })
    }
    await call("PUT", "/v1/end-user-defaults", { price: "retail" })
    expect((await spend("ada", 0.01)).end_user_charge_usd).toBe(0.02)
    await call("PUT", "/v1/end-user-defaults", { key_id: keyId, price: "partner" })
    expect((await spend("ada", 0.01)).end_user_charge_usd).toBe(0.015)
    await bill("ada", { price: "friend" })
    expect((await spend("ada", 0.01)).end_user_charge_usd).toBe(0.005)
    expect((await spend("bob", 0.01)).end_user_charge_usd).toBe(0.015)
    expect((await call("GET", "/v1/prices/friend")).body.used_by).toEqual({ end_users: 1, keys: 0, account: false })
    await expectPromises(world, userId)
  })

  test("A turn keeps the version of its price from when it was accepted, and the same values make no new version", async () => {
    const { putPrice, bill, send, client, call } = await createSeller(world)
    await putPrice("p", { multiplier: 2 })
    await bill("ada", { price: "p" })
    const { body: turn } = await send("ada", 0.01)
    expect((await putPrice("p", { multiplier: 3 })).body.version).toBe(2)
    expect((await putPrice("p", { multiplier: 3 })).body.version).toBe(2)
    await world.drain()
    expect((await client.getTurn(turn.turn_id)).end_user_charge_usd).toBe(0.02)
    const { body: price } = await call("GET", "/v1/prices/p")
    expect(
      price.versions.map(({ version, multiplier }: { version: number; multiplier: number }) => [version, multiplier]),
    ).toEqual([
      [2, 3],
      [1, 2],
    ])
  })

  test.each([
    ["up", 0.02],
    ["nearest", 0.02],
    ["down", 0.01],
  ] as const)(
    "A charge of 1.5 cents is rounded %s to whole cents once, after the amount per turn was added",
    async (mode, charge) => {
      const { putPrice, bill, spend } = await createSeller(world)
      await putPrice("p", { multiplier: 0.5, per_turn_usd: 0.01, rounding: { to_usd: 0.01, mode } })
      await bill("ada", { price: "p" })
      expect((await spend("ada", 0.01)).end_user_charge_usd).toBe(charge)
    },
  )

  test("A model can have a multiplier of its own, and an unknown model is refused", async () => {
    const { putPrice, bill, spend } = await createSeller(world)
    await putPrice("p", { multiplier: 2, per_model: { "rehearsal/standard": 4 } })
    await bill("ada", { price: "p" })
    expect((await spend("ada", 0.01)).end_user_charge_usd).toBe(0.04)
    expect(await putPrice("q", { per_model: { "no/model": 1 } })).toMatchObject({
      status: 422,
      body: { error: { code: "VALIDATION_FAILED", param: "per_model" } },
    })
  })

  test("A turn without a model call charges nothing, and a live default binds no test turn", async () => {
    const { putPrice, call, send, client, userId } = await createSeller(world)
    await putPrice("p", { per_turn_usd: 1 })
    await call("PUT", "/v1/end-user-defaults", { price: "p" })
    const { body: turn } = await send("ada", 0.01)
    await client.call("POST", `/v1/turns/${turn.turn_id}/cancel`)
    expect(await client.getTurn(turn.turn_id)).toMatchObject({ state: "cancelled", end_user_charge_usd: 0 })
    const { value } = await world.makeKey(userId, { scope: "all", test: true })
    const tester = world.createClient(userId, value)
    const done = await tester.runTurn({ space: await tester.space() })
    expect(done).toMatchObject({ state: "done", billed_cost_usd: 0, end_user_charge_usd: null })
  })
})

describe("A planned price", () => {
  const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString()

  test.each([false, true])("Turns have it from its moment on, to the millisecond (test key: %s)", async (isTest) => {
    const { putPrice, bill, send, client, call } = await createSeller(world, { test: isTest })
    await putPrice("p", { multiplier: 2 })
    await bill("ada", { price: "p" })
    const begins_at = later(60_000)
    const planned = await putPrice("p", { multiplier: 3, begins_at })
    expect(planned).toMatchObject({
      status: 200,
      body: { version: 1, multiplier: 2, begins_at: null, planned: { version: 2, multiplier: 3, begins_at } },
    })
    expect(planned.body.versions).toHaveLength(1)
    expect((await call("GET", "/v1/prices")).body.data).toMatchObject([{ version: 1, planned: { version: 2 } }])
    await world.advance(59_999)
    const { body: before } = await send("ada", 0.01)
    expect(before.price).toEqual({ name: "p", version: 1 })
    await world.advance(1)
    const { body: after } = await send("ada", 0.01)
    expect(after.price).toEqual({ name: "p", version: 2 })
    expect((await call("GET", "/v1/prices/p")).body).toMatchObject({
      version: 2,
      multiplier: 3,
      begins_at,
      planned: null,
      versions: [{ version: 2 }, { version: 1 }],
    })
    await world.drain()
    const charges = [before, after].map(async ({ turn_id }) => (await client.getTurn(turn_id)).end_user_charge_usd)
    expect(await Promise.all(charges)).toEqual([0.02, 0.03])
  })

  test("The present values cancel a plan, a new plan replaces it, and the same plan changes nothing", async () => {
    const { putPrice, bill, spend, call } = await createSeller(world)
    await putPrice("p", { multiplier: 2 })
    await bill("ada", { price: "p" })
    const [first, second] = [later(60_000), later(120_000)]
    await putPrice("p", { multiplier: 3, begins_at: first })
    expect((await putPrice("p", { multiplier: 3, begins_at: first })).body.planned.version).toBe(2)
    const replaced = (await putPrice("p", { multiplier: 4, begins_at: second })).body
    expect(replaced).toMatchObject({ version: 3, multiplier: 2, planned: { version: 4, begins_at: second } })
    await world.advance(60_000)
    expect((await spend("ada", 0.01)).end_user_charge_usd, "the first plan never begins").toBe(0.02)
    expect((await putPrice("p", { multiplier: 2 })).body).toMatchObject({ version: 5, multiplier: 2, planned: null })
    await world.advance(60_000)
    expect(await spend("ada", 0.01)).toMatchObject({ end_user_charge_usd: 0.02, price: { version: 5 } })
    await putPrice("p", { multiplier: 6, begins_at: later(60_000) })
    expect((await putPrice("p", { multiplier: 5 })).body, "a price that is set now ends a plan").toMatchObject({
      version: 7,
      multiplier: 5,
      planned: null,
    })
    await world.advance(60_000)
    expect((await call("GET", "/v1/prices/p")).body).toMatchObject({ version: 7, multiplier: 5 })
    expect((await putPrice("p", { multiplier: 5, begins_at: later(1) })).body, "nothing to plan").toMatchObject({
      version: 7,
      planned: null,
    })
  })

  test("A plan of a price that is deleted never begins", async () => {
    const { putPrice, call } = await createSeller(world)
    await putPrice("p", { multiplier: 2 })
    await putPrice("p", { multiplier: 3, begins_at: later(60_000) })
    expect((await call("DELETE", "/v1/prices/p")).status).toBe(200)
    await world.advance(60_000)
    expect((await call("GET", "/v1/prices/p")).body).toMatchObject({ deleted: true, version: 3, multiplier: 2 })
  })

  test("A plan for a moment in the past, or for a price that does not exist, is refused", async () => {
    const { putPrice } = await createSeller(world)
    const refused = { status: 422, body: { error: { code: "VALIDATION_FAILED", param: "begins_at" } } }
    expect(await putPrice("p", { begins_at: later(60_000) })).toMatchObject(refused)
    await putPrice("p", {})
    expect(await putPrice("p", { multiplier: 2, begins_at: later(0) })).toMatchObject(refused)
    expect(await putPrice("p", { multiplier: 2, begins_at: "tomorrow" })).toMatchObject(refused)
  })
})

describe("Deleting a price", () => {
  test("A price in use is kept, and a deleted price still charges the turns that were accepted with it", async () => {
    const { putPrice, bill, send, client, call } = await createSeller(world)
    await putPrice("p", { multiplier: 2 })
    await bill("ada", { price: "p" })
    expect(await call("DELETE", "/v1/prices/p")).toMatchObject({
      status: 409,
      body: { error: { code: "PRICE_IN_USE", details: { end_users: 1, keys: 0, account: false } } },
    })
    const { body: turn } = await send("ada", 0.01)
    await bill("ada", { price: null })
    expect(await call("DELETE", "/v1/prices/p")).toMatchObject({ status: 200, body: { name: "p", deleted: true } })
    const kept = (await call("GET", "/v1/prices/p")).body
    expect(kept).toMatchObject({ name: "p", deleted: true, versions: [{ version: 1, multiplier: 2 }] })
    expect((await call("GET", "/v1/prices")).body.data).toEqual([])
    expect((await call("DELETE", "/v1/prices/p")).status).toBe(404)
    expect((await bill("ada", { price: "p" })).body.error).toMatchObject({ code: "VALIDATION_FAILED", param: "price" })
    await world.drain()
    expect((await client.getTurn(turn.turn_id)).end_user_charge_usd).toBe(0.02)
    expect((await client.getTurn(turn.turn_id)).price).toEqual({ name: "p", version: 1 })
    expect((await putPrice("p", {})).body, "versions are never used twice").toMatchObject({
      version: 2,
      deleted: false,
    })
    expect((await call("GET", "/v1/prices/p?version=1")).body.versions).toMatchObject([{ version: 1, multiplier: 2 }])
    expect((await call("GET", "/v1/prices/p?version=3")).status).toBe(404)
  })

  test("Invalid prices get an error that names the field", async () => {
    const { call, putPrice } = await createSeller(world)
    for (const [price, param] of [
      [{ multiplier: -1 }, "multiplier"],
      [{ multiplier: 1.00000001 }, "multiplier"],
      [{ multiplier: 1001 }, "multiplier"],
      [{ per_turn_usd: 0.00000001 }, "per_turn_usd"],
      [{ rounding: { to_usd: 0 } }, "rounding.to_usd"],
      [{ rounding: { mode: "even" } }, "rounding.mode"],
      [{ surprise: 1 }, "surprise"],
    ] as const) {
      const { status, body } = await putPrice("p", price)
      expect([status, body.error?.param], JSON.stringify(price)).toEqual([422, param])
    }
    expect((await putPrice("Upper", {})).status).toBe(422)
    expect((await call("GET", "/v1/prices")).body.data).toEqual([])
  })
})
