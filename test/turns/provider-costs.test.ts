import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createCountingWorld } from "../harness/counting-world.ts"
import { addImageModel, logInMedia, PAINTER, serveImages } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import { type TestClient, turnOf, type World } from "../harness/world.ts"

/** The cost of calls for us, at prices of the provider that are not ours. */

let world: World
let admin: Admin
let usage: object
let said: object
beforeAll(async () => {
  world = await createCountingWorld(() => ({ usage, said }))
  admin = await signInAdmin(world)
})
beforeEach(() => {
  usage = { prompt_tokens: 1_000, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 200 } }
  said = {}
})
afterAll(() => world.close())

const OURS = { input: 3, cached: 0.3, output: 15 }
const THEIRS = { input: 2, cached: 0.2, output: 10 }
/** The cost and the bill of the call in `usage` at these prices, in credit micros. */
const COST = 800 * 20 + 200 * 2 + 10 * 100
const BILL = 800 * 30 + 200 * 3 + 10 * 150

async function putPrices(body: object, pin = PROVIDED_PIN) {
  const [status, row] = await admin.json("PUT", `/api/admin/model-catalog/${encodeURIComponent(pin)}/prices`, body)
  expect(status, JSON.stringify(row)).toBe(200)
  return row
}

const micros = (usd: number) => Math.round(usd * 1e7)

/** Runs a turn, and returns the amounts that an operator sees of it. */
async function run(client: TestClient, more: object = {}) {
  const turn = await client.runTurn({ space: await client.space(), model: PROVIDED_PIN, max_cost_usd: 5, ...more })
  await expectPromises(world, client.userId)
  const [, { costs }] = await admin.json("GET", `/api/admin/turns/${turn.turn_id}`)
  expect(micros(costs.billed_cost_usd)).toBe(micros(turn.billed_cost_usd))
  return {
    cost: micros(costs.cost_usd),
    billed: micros(costs.billed_cost_usd),
    margin: micros(costs.margin_usd),
    costs,
  }
}

const storedCosts = (userId: number) =>
  world.sql("select provider_credit_micros::int as ours from model_calls where user_id = $1 order by 1", [userId])

test("A call costs us the provider's prices and is billed at ours, and a list of both stores nothing", async () => {
  const client = await world.createAccount({ usd: 100 })
  await putPrices({ ...OURS, provider: THEIRS })
  expect(await run(client)).toMatchObject({ cost: COST, billed: BILL, margin: BILL - COST })
  await putPrices(OURS)
  expect(await run(client)).toMatchObject({ cost: BILL, billed: BILL, margin: 0 })
  await putPrices({ ...OURS, provider: OURS })
  expect(await run(client)).toMatchObject({ cost: BILL, billed: BILL, margin: 0 })
  expect(await storedCosts(client.userId)).toEqual([{ ours: COST }, { ours: null }, { ours: null }])
})

test("A price below the provider's gives a negative margin", async () => {
  await putPrices({ ...THEIRS, provider: OURS })
  const client = await world.createAccount({ usd: 100 })
  expect(await run(client)).toMatchObject({ cost: BILL, billed: COST, margin: COST - BILL })
})

test("A markup makes our prices, and the provider's tiers and factors count for our cost", async () => {
  const tiers = [{ above_input_tokens: 900, input: 4, cached: 0.4, output: 20 }]
  const provider = { ...THEIRS, tiers, modifiers: { flex: 0.5 } }
  const row = await putPrices({ provider, markup: { percent: 12.5, usd_per_million_tokens: 0.1 } })
  expect(row).toMatchObject({
    price_usd_per_million_tokens: { input: 2.35, cached: 0.325, output: 11.35, cache_write: null },
    price_tiers: [{ above_input_tokens: 900, input: 4.6, cached: 0.55, output: 22.6 }],
    price_modifiers: { flex: 0.5 },
    markup: { percent: 12.5, usd_per_million_tokens: 0.1 },
    provider_prices: { price_usd_per_million_tokens: THEIRS, price_tiers: tiers, price_modifiers: { flex: 0.5 } },
  })
  said = { service_tier: "flex" }
  const client = await world.createAccount({ usd: 100 })
  expect(await run(client)).toMatchObject({
    cost: 800 * 20 + 200 * 2 + 10 * 100,
    billed: Math.ceil((800 * 46 + 200 * 5.5 + 10 * 226) / 2),
  })
})

test("A factor that only the provider has raises our cost alone, and is no finding", async () => {
  await putPrices({ ...OURS, provider: { ...THEIRS, modifiers: { priority: 2 } } })
  said = { service_tier: "priority" }
  const client = await world.createAccount({ usd: 100 })
  expect(await run(client)).toMatchObject({ cost: 2 * COST, billed: BILL })
  await world.settled()
  expect(await world.sql("select code from infrastructure_errors where code = 'unpriced'")).toEqual([])
})

test("A turn keeps both prices of its acceptance", async () => {
  await putPrices({ ...OURS, provider: THEIRS })
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space()
  const { turn_id } = await turnOf(await client.sendTurn({ space, model: PROVIDED_PIN, max_cost_usd: 5 }))
  const { price_version } = await putPrices({ ...OURS, provider: { ...THEIRS, output: 11 } })
  await world.drain()
  const [, { costs }] = await admin.json("GET", `/api/admin/turns/${turn_id}`)
  expect(micros(costs.cost_usd)).toBe(COST)
  expect(costs.calls).toMatchObject([{ step: 0, call: null, model: PROVIDED_PIN, price_version: price_version - 1 }])
})

test("A test turn costs nothing, whatever the provider's prices are", async () => {
  const path = `/api/admin/model-catalog/${encodeURIComponent("rehearsal/standard")}/prices`
  const rehearsal = { input: 1, cached: 0.1, output: 5 }
  expect((await admin.json("PUT", path, { ...rehearsal, provider: { ...rehearsal, input: 4 } }))[0]).toBe(200)
  const owner = await world.createAccount({ usd: 100 })
  const client = world.createClient(owner.userId, (await world.makeKey(owner.userId, { test: true })).value)
  await client.runTurn({ space: await client.space(), text: "[use input=1000]" })
  expect(await storedCosts(owner.userId)).toEqual([{ ours: null }])
})

test("A picture costs us the provider's price", async () => {
  const pin = await addImageModel(world)
  await logInMedia(world)
  serveImages(world)
  await putPrices({ provider: { picture: 0.03 }, markup: { percent: 50 } }, pin)
  const client = await world.createAccount({ usd: 100 })
  const text = '[call generate_image {"prompt":"a cat"}]'
  const { costs } = await run(client, { model: "rehearsal/standard", text, space: await client.space(PAINTER) })
  const [picture] = costs.calls.filter(({ call }: { call: number | null }) => call !== null)
  expect(picture).toMatchObject({ model: pin, cost_usd: 0.03, billed_cost_usd: 0.045, margin_usd: 0.015 })
})
