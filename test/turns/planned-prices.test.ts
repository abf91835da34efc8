import { afterAll, beforeAll, expect, test } from "vitest"
import { catalogModel } from "../harness/admin-places.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createCountingWorld } from "../harness/counting-world.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import { type TestClient, turnOf, type World } from "../harness/world.ts"

/** Prices that begin at a moment in the future, without a person. */

let world: World
let admin: Admin
beforeAll(async () => {
  const usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 }
  world = await createCountingWorld(() => ({ usage }))
  admin = await signInAdmin(world)
})
afterAll(() => world.close())

const CATALOG = "/api/admin/model-catalog"
const OLD = { input: 3, cached: 0.3, output: 15 }
const NEW = {
  input: 6,
  cached: 0.6,
  output: 30,
  tiers: [{ above_input_tokens: 2_000, input: 9, cached: 1, output: 40 }],
}
const OLD_BILL = 1_000 * 30 + 10 * 150
const NEW_BILL = 1_000 * 60 + 10 * 300

const pathOf = (pin: string, end: string) => `${CATALOG}/${encodeURIComponent(pin)}/${end}`
const put = (pin: string, prices: object) => admin.json("PUT", pathOf(pin, "prices"), prices)
const plan = (pin: string, begins_at: string, prices: object = NEW, headers?: Record<string, string>) =>
  admin.json("PUT", pathOf(pin, "planned-prices"), { begins_at, prices }, headers)
const cancel = (pin: string, headers?: Record<string, string>) =>
  admin.json("DELETE", pathOf(pin, "planned-prices"), undefined, headers)
const later = (ms: number) => new Date(world.clock.now().getTime() + ms).toISOString()
const rowOf = async (pin: string) =>
  (await admin.json("GET", CATALOG))[1].items.find((row: { pin: string }) => row.pin === pin)

async function send(client: TestClient, space: string) {
  const answer = await client.sendTurn({ space, model: PROVIDED_PIN, max_cost_usd: 5 })
  return turnOf(answer)
}

test("Turns have the planned prices from their moment on, to the millisecond, and turns before keep the old ones", async () => {
  await put(PROVIDED_PIN, OLD)
  const before = await rowOf(PROVIDED_PIN)
  const client = await world.createAccount({ usd: 100 })
  const [first, second] = [await client.space(), await client.space()]
  const begins = later(3_600_000)
  const [status, planned] = await plan(PROVIDED_PIN, begins)
  expect([status, planned]).toMatchObject([
    200,
    {
      price_version: before.price_version,
      version: before.version + 1,
      price_usd_per_million_tokens: { input: 3 },
      planned_prices: {
        begins_at: begins,
        price_usd_per_million_tokens: { input: 6 },
        price_tiers: [{ above_input_tokens: 2_000, input: 9 }],
      },
    },
  ])
  expect(await rowOf(PROVIDED_PIN)).toEqual(planned)
  const shown = async () => {
    const { data } = (await (await client.call("GET", "/v1/models")).json()) as { data: { pin: string }[] }
    return data.find(({ pin }) => pin === PROVIDED_PIN)
  }
  const needed = async () => {
    const asked = { space: first, end_user_ref: "ada", text: "Hello", model: PROVIDED_PIN }
    return ((await (await client.call("POST", "/v1/turns/estimate", asked)).json()) as { needed_usd: number })
      .needed_usd
  }

  world.advance(3_600_000 - 1)
  expect(await shown()).toMatchObject({ price_usd_per_million_tokens: { input: 3 }, price_tiers: [] })
  const cheap = await needed()
  const early = await send(client, first)
  world.advance(1)
  const late = await send(client, second)
  expect(await shown()).toMatchObject({ price_usd_per_million_tokens: { input: 6 }, price_tiers: [{ input: 9 }] })
  expect(await needed()).toBeGreaterThan(cheap * 1.9)
  expect([early, late].map(({ created_at }) => created_at)).toEqual([
    new Date(Date.parse(begins) - 1).toISOString(),
    begins,
  ])
  await world.drain()
  const owner = await world.signIn(client.userId)
  const billed = async ({ turn_id }: { turn_id: string }) => {
    const bill = await (await owner.call("GET", `/api/account/turns/${turn_id}/bill`)).json()
    const { items } = bill as { items: [{ price_version: number; billed_usd: number }] }
    return [items[0].price_version - before.price_version, Math.round(items[0].billed_usd * 1e7)]
  }
  expect(await billed(early)).toEqual([0, OLD_BILL])
  expect(await billed(late)).toEqual([1, NEW_BILL])
  expect(await rowOf(PROVIDED_PIN)).toMatchObject({ price_version: before.price_version + 1, planned_prices: null })
  expect((await cancel(PROVIDED_PIN))[0], "they count already").toBe(409)
  expect((await put(PROVIDED_PIN, OLD))[1]).toMatchObject({ price_version: before.price_version + 2 })
  expect(await billed(early)).toEqual([0, OLD_BILL])
  expect(await billed(late)).toEqual([1, NEW_BILL])
  await expectPromises(world, client.userId)
})

test("A plan can be cancelled before it begins, and the old prices count on", async () => {
  await put(PROVIDED_PIN, OLD)
  const before = await rowOf(PROVIDED_PIN)
  await plan(PROVIDED_PIN, later(1_000))
  const [status, row] = await cancel(PROVIDED_PIN)
  expect([status, row]).toMatchObject([200, { price_version: before.price_version, planned_prices: null }])
  world.advance(1_000)
  expect(await rowOf(PROVIDED_PIN)).toMatchObject({ price_usd_per_million_tokens: { input: 3 } })
  const client = await world.createAccount({ usd: 100 })
  const turn = await client.runTurn({ space: await client.space(), model: PROVIDED_PIN, max_cost_usd: 5 })
  expect(Math.round(turn.billed_cost_usd * 1e7)).toBe(OLD_BILL)
  expect(await put(PROVIDED_PIN, { ...OLD, input: 4 })).toMatchObject([
    200,
    { price_version: before.price_version + 1 },
  ])
})

test("A model has one plan, in the future, and no other change of its prices until then", async () => {
  const pin = await catalogModel({ admin })
  expect(await plan(pin, later(0))).toMatchObject([409, { code: "CONFLICT" }])
  expect(await plan(pin, later(-1))).toMatchObject([409, { code: "CONFLICT" }])
  expect(await cancel(pin)).toMatchObject([409, { code: "CONFLICT" }])
  expect(await plan("openai/nothing", later(1_000))).toMatchObject([404, { code: "NOT_FOUND" }])
  expect(await cancel("openai/nothing")).toMatchObject([404, { code: "NOT_FOUND" }])
  expect(await plan(pin, later(1_000), { picture: 1 })).toMatchObject([409, { code: "CONFLICT" }])
  expect(await plan(pin, later(1))).toMatchObject([200, { version: 2 }])
  const other = { ...OLD, input: 77 }
  expect(await plan(pin, later(5_000), other)).toMatchObject([409, { detail: expect.stringContaining("planned") }])
  expect(await put(pin, other)).toMatchObject([409, { detail: expect.stringContaining("planned") }])
  const patched = await admin.json("PATCH", `${CATALOG}/${encodeURIComponent(pin)}`, { label: "Still planned" })
  expect(patched).toMatchObject([200, { planned_prices: { price_usd_per_million_tokens: { input: 6 } } }])
  world.advance(1)
  expect(await put(pin, other)).toMatchObject([200, { price_version: 3, planned_prices: null }])
})

test("A plan and its end check If-Match and are audited with their moment", async () => {
  const pin = await catalogModel({ admin })
  const begins = later(60_000)
  expect(await plan(pin, begins, NEW, { "if-match": '"7"' })).toMatchObject([412, { code: "VERSION_MISMATCH" }])
  expect((await plan(pin, begins, NEW, { "if-match": '"1"' }))[0]).toBe(200)
  expect(await cancel(pin, { "if-match": '"1"' })).toMatchObject([412, { code: "VERSION_MISMATCH" }])
  expect(await cancel(pin, { "if-match": '"2"' })).toMatchObject([200, { version: 3 }])
  const log = await world.sql<{ action: string; from: string | null; input: number }>(
    "select action, after ->> 'prices_from' as from, (after -> 'price_input')::int as input from audit_log where subject_id = $1 order by audit_id",
    [pin],
  )
  expect(log.map(({ action, input }) => [action, input])).toEqual([
    ["model.add", 10_000_000],
    ["model.prices", 60_000_000],
    ["model.prices_cancel", 10_000_000],
  ])
  expect(log.map(({ from }) => from && new Date(from).toISOString())).toEqual([null, begins, null])
})

test("The proposals of the price feed change nothing, and one that is taken over or planned is no proposal any more", async () => {
  const pin = await catalogModel({ admin }, { engine: "openai", model: "gpt-5-mini-2025-08-07" })
  const stored = () => world.sql("select to_jsonb(c) from model_catalog c order by pin")
  const proposed = async () => {
    const [status, { feed, items }] = await admin.json("GET", `${CATALOG}/proposals`)
    expect([status, feed]).toMatchObject([200, { package: "@pydantic/genai-prices" }])
    return items.find((item: { pin: string }) => item.pin === pin)
  }
  const before = await stored()
  const item = await proposed()
  expect(item).toMatchObject({
    feed_model: "gpt-5-mini",
    findings: [
      { kind: "price", component: "input", ours: 1, feed: 0.25, percent: -75 },
      { kind: "price", component: "cached", ours: 0.1, feed: 0.025 },
      { kind: "price", component: "output", ours: 5, feed: 2 },
      { kind: "price", component: "web_search", ours: 0, feed: 0.01 },
    ],
    proposal: { begins_at: null, prices: { input: 0.25, cached: 0.025, output: 2, web_search: 0.01 } },
  })
  expect(await stored(), "a feed never changes prices").toEqual(before)
  const { version, proposal } = item
  expect((await plan(pin, later(60_000), proposal.prices, { "if-match": `"${version}"` }))[0]).toBe(200)
  expect(await proposed()).toMatchObject({ proposal: null, findings: [{}, {}, {}, {}] })
  world.advance(60_000)
  expect(await proposed()).toMatchObject({ proposal: null, findings: [] })
  const client = await world.createAccount()
  expect((await client.call("GET", `${CATALOG}/proposals`)).status).toBe(401)
})
