import { afterAll, beforeAll, expect, test } from "vitest"
import { disableOtherModels, enableModels } from "../../src/ops/models.ts"
import { catalogModel } from "../harness/admin-places.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { contextOf } from "../harness/context.ts"
import { createWorld, type World } from "../harness/world.ts"

const CATALOG = "/api/admin/model-catalog"
const REHEARSAL = "rehearsal/standard"

let world: World
let admin: Admin
beforeAll(async () => {
  world = await createWorld()
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const IMAGE = { engine: "openai", kind: "image", label: "Pictures", price_usd_per_picture: 0.04 }
const TOKENS = { input: 1, cached: 0.1, output: 5 }
const imageModel = (more: object = {}) =>
  catalogModel({ admin }, { ...IMAGE, price_usd_per_million_tokens: undefined, ...more })
const patch = (pin: string, body: object) => admin.json("PATCH", `${CATALOG}/${encodeURIComponent(pin)}`, body)
const putPrices = (pin: string, body: object) => admin.json("PUT", `${CATALOG}/${encodeURIComponent(pin)}/prices`, body)
const rowOf = async (pin: string) =>
  (await admin.json("GET", CATALOG))[1].items.find((row: { pin: string }) => row.pin === pin)

test("A picture model is added with its price, listed with it, and audited", async () => {
  const pin = await imageModel()
  expect(await rowOf(pin)).toMatchObject({
    kind: "image",
    enabled: false,
    price_usd_per_picture: 0.04,
    price_usd_per_million_tokens: { input: 0, cached: 0, output: 0, cache_write: null },
    price_version: 1,
    space_count: 0,
  })
  expect(await rowOf(REHEARSAL)).toMatchObject({ kind: "chat", price_usd_per_picture: null })
  const [entry] = await world.sql("select after from audit_log where subject_id = $1 and action = 'model.add'", [pin])
  expect(entry?.after).toMatchObject({ kind: "image", price_image: 400_000 })
})

test.each([
  [{ ...IMAGE, price_usd_per_picture: undefined }, "price_usd_per_picture"],
  [{ ...IMAGE, price_usd_per_million_tokens: TOKENS }, "price_usd_per_million_tokens"],
  [{ ...IMAGE, price_usd_per_picture: -1 }, "price_usd_per_picture"],
  [{ ...IMAGE, price_usd_per_picture: 0.00000001 }, "price_usd_per_picture"],
  [{ ...IMAGE, engine: "anthropic" }, "engine"],
  [{ ...IMAGE, kind: "video" }, "kind"],
  [{ engine: "openai", label: "x" }, "price_usd_per_million_tokens"],
  [
    { engine: "openai", label: "x", price_usd_per_million_tokens: TOKENS, price_usd_per_picture: 1 },
    "price_usd_per_picture",
  ],
])("The picture model %j is refused", async (body, field) => {
  const [status, { detail }] = await admin.json("POST", CATALOG, { model: "refused", ...body })
  expect([status, detail?.[0]?.loc]).toEqual([422, ["body", field]])
})

test("A changed picture price makes a new version, and the previous price is kept", async () => {
  const pin = await imageModel()
  expect(await putPrices(pin, { picture: 0.05 })).toMatchObject([
    200,
    { price_usd_per_picture: 0.05, price_version: 2, version: 2 },
  ])
  expect(await putPrices(pin, { picture: 0.05 }), "the same price again").toMatchObject([
    200,
    { price_version: 2, version: 2 },
  ])
  const former =
    "select price_version, price_image::float8 as price, price_input::int as input from former_prices where pin = $1"
  expect(await world.sql(former, [pin])).toEqual([{ price_version: 1, price: 400_000, input: 0 }])
  expect(await putPrices(pin, TOKENS)).toMatchObject([409, { code: "CONFLICT" }])
  expect(await putPrices(REHEARSAL, { picture: 1 })).toMatchObject([409, { code: "CONFLICT" }])
  expect((await putPrices(pin, { picture: 1, ...TOKENS }))[0]).toBe(422)
  expect((await putPrices(pin, {}))[0]).toBe(422)
  expect((await putPrices(pin, { picture: -1 }))[0]).toBe(422)
})

test("A picture model cannot be a space's or turn's model, the default, or in the list of usable models", async () => {
  const pin = await imageModel({ enabled: true, sort_order: -100 })
  const client = await world.createAccount()
  const space = await client.space()
  expect((await client.runTurn({ space })).model).toBe(REHEARSAL)
  for (const [method, path, body] of [
    ["POST", "/v1/spaces", { title: "x", model: pin }],
    ["POST", "/v1/spaces", { title: "x", manifest: { model: pin } }],
    ["POST", "/v1/spaces", { title: "x", manifest: { subagents: [{ name: "a", description: "b", model: pin }] } }],
    ["PATCH", `/v1/spaces/${space}`, { model: pin }],
    ["PUT", `/v1/spaces/${space}/manifest`, { model: pin }],
    ["POST", "/v1/turns", { space, text: "x", end_user_ref: "c", model: pin }],
    ["POST", "/v1/turns/estimate", { space, text: "x", end_user_ref: "c", model: pin }],
  ] as const) {
    const answer = await client.call(method, path, body, { "idempotency-key": crypto.randomUUID() })
    expect([answer.status, await answer.text()], `${method} ${path}`).toEqual([422, expect.stringContaining(pin)])
  }
  const { data } = (await (await client.call("GET", "/v1/models")).json()) as { data: { pin: string }[] }
  expect(data.map((model) => model.pin)).toContain(REHEARSAL)
  expect(JSON.stringify(data)).not.toContain(pin)
  await patch(pin, { enabled: false })
})

test("The list at GET /v1/models has a picture model's price, for live keys and while it is enabled", async () => {
  const pin = await imageModel({ enabled: true, sort_order: -100 })
  const dear = await imageModel({ enabled: true, sort_order: -99 })
  const off = await imageModel({ enabled: false })
  await putPrices(dear, { picture: 0.125 })
  const client = await world.createAccount()
  const tests = world.createClient(client.userId, (await world.makeKey(client.userId, { test: true })).value)
  type Page = { image_models: { pin: string; price_usd_per_picture: number }[] }
  const page = (await (await client.call("GET", "/v1/models")).json()) as Page
  const [first, second] = page.image_models
  expect(first).toEqual({ pin, label: "Pictures", engine: "openai", price_usd_per_picture: 0.04 })
  expect(second).toMatchObject({ pin: dear, price_usd_per_picture: 0.125 })
  expect(page.image_models.map((model) => model.pin)).not.toContain(off)
  expect(await (await tests.call("GET", "/v1/models")).json()).toMatchObject({ image_models: [] })
  for (const made of [pin, dear]) await patch(made, { enabled: false })
})

test("A picture model does not count as the last enabled model and may always be disabled", async () => {
  const pin = await imageModel({ enabled: true })
  expect(await patch(REHEARSAL, { enabled: false })).toMatchObject([409, { code: "LAST_ENABLED_MODEL" }])
  await expect(world.sql("update model_catalog set enabled = false where kind = 'chat'")).rejects.toThrow(
    "no model would be enabled",
  )
  expect(await patch(pin, { enabled: false, label: "Other", sort_order: 7 })).toMatchObject([
    200,
    { enabled: false, label: "Other", sort_order: 7 },
  ])
})

test("A start with the environment's models leaves a picture model unchanged", async () => {
  const pin = await imageModel({ enabled: true })
  // As if no admin had changed it: a start keeps what admins have changed.
  await world.sql("update model_catalog set updated_by = null where pin = $1", [pin])
  const before = await rowOf(pin)
  const { db } = contextOf(world)
  const [engine, model = ""] = pin.split("/") as ["openai", string]
  const same = { engine, model, label: "Chat", usd: { input: 1, cached: 1, output: 1 } }
  await enableModels(db, [same], world.clock.now())
  await disableOtherModels(db, [])
  expect(await rowOf(pin)).toEqual(before)
})
