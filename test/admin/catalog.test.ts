import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { catalogModel } from "../harness/admin-places.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { isThorough } from "../harness/crash.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const CATALOG = "/api/admin/model-catalog"
const REHEARSAL = "rehearsal/standard"
const ROUNDS = isThorough ? 30 : 10

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

interface Row {
  pin: string
  enabled: boolean
  label: string
  sort_order: number
  space_count: number
  price_version: number
  version: number
}

const rows = async (): Promise<Row[]> => (await admin.json("GET", CATALOG))[1].items
const rowOf = async (pin: string) => (await rows()).find((row) => row.pin === pin)
const patch = (pin: string, body: object, who = admin) =>
  who.json("PATCH", `${CATALOG}/${encodeURIComponent(pin)}`, body)

describe("The catalog", () => {
  test("The catalog lists all rows, enabled and disabled, in sort order", async () => {
    const last = await catalogModel({ admin }, { sort_order: 2_000 })
    const first = await catalogModel({ admin }, { sort_order: -5, enabled: true })
    const twin = await catalogModel({ admin }, { sort_order: 2_000 })
    const shown = await rows()
    const place = (pin: string) => shown.findIndex((row) => row.pin === pin)
    expect(shown[place(first)]).toMatchObject({ enabled: true, sort_order: -5, price_version: 1, version: 1 })
    expect(shown[place(last)]).toMatchObject({ enabled: false })
    expect([place(first), place(REHEARSAL)]).toEqual([place(first), place(REHEARSAL)].sort((a, b) => a - b))
    expect(place(last) < place(twin)).toBe(last < twin)
    expect(place(REHEARSAL)).toBeLessThan(place(last))
    await patch(first, { enabled: false })
  })

  test("The catalog counts the live spaces that are pinned to each row, and not spaces that name no model", async () => {
    const client = await world.createAccount()
    const pin = await catalogModel({ admin }, { enabled: true })
    const other = await catalogModel({ admin }, { enabled: true, sort_order: 5_000 })
    const counts = async () => {
      const all = new Map((await rows()).map((row) => [row.pin, row.space_count]))
      return [all.get(pin), all.get(other), all.get(REHEARSAL)].map(Number)
    }
    const [, , rehearsed = 0] = await counts()
    await client.space({ model: pin })
    await client.space({ manifest: { model: pin } })
    const gone = await client.space({ model: pin })
    // The manifest's model takes precedence over the space's own.
    const both = await client.space({ model: pin, manifest: { model: other } })
    await client.space()
    await client.space({ model: REHEARSAL })
    const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
    await tests.space({ model: pin })
    await client.call("DELETE", `/v1/spaces/${gone}`)
    expect(await counts()).toEqual([2, 1, rehearsed + 1])
    await client.call("PATCH", `/v1/spaces/${both}`, { model: null })
    await client.call("PUT", `/v1/spaces/${both}/manifest`, { model: pin })
    expect(await counts()).toEqual([3, 0, rehearsed + 1])
    const [, row] = await patch(pin, { label: "Counted" })
    expect(row).toMatchObject({ label: "Counted", space_count: 3 })
    // Another default does not change the counts.
    await patch(pin, { enabled: false })
    expect(await counts()).toEqual([3, 0, rehearsed + 1])
    await patch(other, { enabled: false })
  })

  test("An edit enables, disables, relabels and reorders rows, and keeps the fields that it does not name", async () => {
    const pin = await catalogModel({ admin })
    expect(await patch(pin, { enabled: true })).toMatchObject([200, { enabled: true, label: "Ours", version: 2 }])
    expect(await patch(pin, { label: "Theirs" })).toMatchObject([200, { enabled: true, label: "Theirs" }])
    expect(await patch(pin, { sort_order: 77 })).toMatchObject([
      200,
      { label: "Theirs", sort_order: 77, version: 4, updated_by: { user_id: admin.userId, name: "Ada" } },
    ])
    expect(await patch(pin, { enabled: false })).toMatchObject([200, { enabled: false, version: 5 }])
    expect(await patch(pin, { enabled: false }), "no change").toMatchObject([200, { version: 5 }])
    expect(await patch(pin, {}), "an edit without fields").toMatchObject([200, { version: 5 }])
    const client = await world.createAccount()
    const refused = await client.call("POST", "/v1/spaces", { title: "x", model: pin })
    expect(refused.status).toBe(422)
    expect(await patch(pin, { price: 1 })).toMatchObject([422, { detail: [{ loc: ["body", "price"] }] }])
    expect((await patch(pin, { enabled: null }))[0]).toBe(422)
    expect((await patch(pin, { label: " " }))[0]).toBe(422)
  })

  test("An unknown pin is a 404", async () => {
    expect(await patch("openai/nothing", { enabled: true })).toMatchObject([404, { code: "NOT_FOUND" }])
    const prices = { input: 1, cached: 1, output: 1 }
    const answer = await admin.json("PUT", `${CATALOG}/openai/nothing/prices`, prices)
    expect(answer).toMatchObject([404, { code: "NOT_FOUND" }])
  })

  test("A pin's slashes may be raw or encoded, also in longer paths", async () => {
    const pin = await catalogModel({ admin }, { model: `team/m-${crypto.randomUUID().slice(0, 8)}` })
    expect(pin.split("/")).toHaveLength(3)
    for (const spelt of [pin, encodeURIComponent(pin)]) {
      const sort_order = spelt.length
      const answer = await admin.json("PATCH", `${CATALOG}/${spelt}`, { sort_order })
      expect(answer, spelt).toMatchObject([200, { pin, sort_order }])
      const prices = { input: spelt.length, cached: 0, output: 1 }
      const priced = await admin.json("PUT", `${CATALOG}/${spelt}/prices`, prices)
      expect(priced, spelt).toMatchObject([200, { pin, price_usd_per_million_tokens: { input: spelt.length } }])
    }
    expect((await admin.call("DELETE", `${CATALOG}/${pin}`)).status).toBe(405)
  })

  test("A pin can be added once", async () => {
    const pin = await catalogModel({ admin })
    const body = { engine: "openai-compatible", model: pin.slice(pin.indexOf("/") + 1), label: "Again" }
    const twice = { ...body, price_usd_per_million_tokens: { input: 9, cached: 9, output: 9 } }
    expect(await admin.json("POST", CATALOG, twice)).toMatchObject([409, { code: "CONFLICT" }])
    expect(await rowOf(pin)).toMatchObject({ label: "Ours", version: 1 })
    const wrong = { ...twice, model: "new", price_usd_per_million_tokens: { input: -1, cached: 9, output: 9 } }
    expect((await admin.json("POST", CATALOG, wrong))[0]).toBe(422)
    expect((await admin.json("POST", CATALOG, body))[0], "prices are required").toBe(422)
  })
})

describe("The last enabled row", () => {
  const enabled = async () => (await rows()).filter((row) => row.enabled).map(({ pin }) => pin)

  test("The last enabled row stays enabled, and its other fields can be changed", async () => {
    expect(await enabled()).toEqual([REHEARSAL])
    expect(await patch(REHEARSAL, { enabled: false, label: "x" })).toMatchObject([409, { code: "LAST_ENABLED_MODEL" }])
    expect(await rowOf(REHEARSAL)).toMatchObject({ enabled: true, label: "Rehearsal" })
    expect((await patch(REHEARSAL, { enabled: true, sort_order: 999 }))[0]).toBe(200)
    await expect(world.sql("update model_catalog set enabled = false")).rejects.toThrow("no model would be enabled")
  })

  test(`Of two admins who disable the last two rows, exactly one succeeds, in ${ROUNDS} rounds`, async () => {
    const pin = await catalogModel({ admin })
    const other = await signInAdmin(world)
    for (let round = 0; round < ROUNDS; round++) {
      await patch(pin, { enabled: true })
      await patch(REHEARSAL, { enabled: true })
      const disable = [() => patch(pin, { enabled: false }), () => patch(REHEARSAL, { enabled: false }, other)]
      // The first to be sent often wins, so they take turns.
      const answers = await Promise.all((round % 2 ? disable : disable.reverse()).map((send) => send()))
      expect(answers.map(([status]) => status).sort(), `round ${round}`).toEqual([200, 409])
      expect(await enabled(), `round ${round}`).toHaveLength(1)
    }
    await patch(REHEARSAL, { enabled: true })
    await patch(pin, { enabled: false })
  })
})

test("Test keys use the rehearsal model whatever the catalog says about it", async () => {
  const client = await world.createAccount()
  const pin = await catalogModel({ admin }, { enabled: true })
  await patch(REHEARSAL, { enabled: false, sort_order: -1 })
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  const turn = await tests.runTurn({ space: await tests.space(), text: "hello" })
  expect(turn).toMatchObject({ state: "done", model: REHEARSAL, billed_cost_usd: 0 })
  const models = await (await tests.call("GET", "/v1/models")).json()
  expect(models).toMatchObject({ data: [{ pin: REHEARSAL }] })
  const space = await client.space({ model: pin })
  const live = await client.sendTurn({ space, model: REHEARSAL })
  expect(live.status, "a live key may not use a disabled model").toBe(422)
  await patch(REHEARSAL, { enabled: true, sort_order: 1_000 })
  await patch(pin, { enabled: false })
})

describe("Prices", () => {
  const prices = (input: number) => ({ input, cached: 0, output: 0 })
  const put = (input: number) => admin.json("PUT", `${CATALOG}/${REHEARSAL}/prices`, prices(input))

  test("A turn keeps the prices of the moment at which it was accepted", async () => {
    const client = await world.createAccount({ usd: 50 })
    const space = await client.space({
      manifest: { subagents: [{ name: "helper", description: "Helps.", instructions: "Help." }] },
    })
    const [, before] = await put(1)
    await world.advance(1_000)
    const text = "[use input=1000000]\n[delegate helper [use input=1000000]]"
    const accepted = await turnOf(await client.sendTurn({ space, text, max_cost_usd: 9 }))
    await world.advance(1_000)
    expect((await put(2))[1]).toMatchObject({ price_version: before.price_version + 1, version: before.version + 1 })
    expect((await put(2))[1], "the same prices again").toMatchObject({ price_version: before.price_version + 1 })
    await world.advance(1_000)
    const later = await turnOf(
      await client.sendTurn({ space, end_user_ref: "customer-2", text: "[use input=1000000]", max_cost_usd: 9 }),
    )
    await world.advance(1_000)
    await put(3)
    await world.drain()
    const used = (turnId: string) =>
      world.sql<{ price_version: number; micros: number }>(
        "select price_version, cost_credit_micros::int as micros from usage where turn_id = $1 and tokens_input = 1000000 order by step",
        [turnId],
      )
    const calls = await used(accepted.turn_id)
    expect(calls.length).toBeGreaterThan(1)
    for (const call of calls) expect(call).toEqual({ price_version: before.price_version, micros: 10_000_000 })
    expect(await used(later.turn_id)).toEqual([{ price_version: before.price_version + 1, micros: 20_000_000 }])
    const now = await client.runTurn({ space, end_user_ref: "customer-3", text: "[use input=100000]", max_cost_usd: 9 })
    expect(now.billed_cost_usd).toBe(0.3)
    expect((await rowOf(REHEARSAL))?.price_version).toBe(before.price_version + 2)
  })

  test("A turn keeps its prices of admission, whatever the clocks of worker and admin say", async () => {
    const client = await world.createAccount({ usd: 50 })
    const space = await client.space()
    const send = async (ref: string) =>
      turnOf(await client.sendTurn({ space, end_user_ref: ref, text: "[use input=1000000]", max_cost_usd: 9 }))
    await put(4)
    const [one, , two] = [await send("customer-1"), await put(5), await send("customer-2")]
    // The next edit comes from a worker whose clock is slow.
    await put(6)
    await world.sql("update former_prices set until_at = until_at - interval '1 minute'")
    await world.drain()
    const costs = await Promise.all([one, two].map(({ turn_id }) => client.getTurn(turn_id)))
    expect(costs.map(({ billed_cost_usd }) => billed_cost_usd)).toEqual([4, 5])
  })
})
