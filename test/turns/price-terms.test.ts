import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Call, computed, decimal } from "../../examples/verify-receipts/documents.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { createCountingWorld } from "../harness/counting-world.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import type { TestClient, World } from "../harness/world.ts"

/** Tiers by the length of the prompt, and factors by what the answer says. */

let world: World
let admin: Admin
let usage: object
let said: object
beforeAll(async () => {
  world = await createCountingWorld(() => ({ usage, said }))
  admin = await signInAdmin(world)
})
beforeEach(() => {
  usage = { prompt_tokens: 1_000, completion_tokens: 10, total_tokens: 1_010 }
  said = {}
})
afterAll(() => world.close())

const OWN = { input: 3, cached: 0.3, output: 15 }

/** Sets the model's prices as an operator does. */
async function putPrices(more: object) {
  const path = `/api/admin/model-catalog/${encodeURIComponent(PROVIDED_PIN)}/prices`
  const [status, body] = await admin.json("PUT", path, { ...OWN, ...more })
  return { status, body }
}

async function billOf(client: TestClient) {
  const turn = await client.runTurn({ space: await client.space(), model: PROVIDED_PIN, max_cost_usd: 5 })
  const owner = await world.signIn(client.userId)
  const bill = await (await owner.call("GET", `/api/account/turns/${turn.turn_id}/bill`)).json()
  const answer = await client.call("GET", `/v1/turns/${turn.turn_id}/receipt`)
  const { receipt } = (await answer.json()) as { receipt: { document: { calls: [Call & Record<string, unknown>] } } }
  const [call] = receipt.document.calls
  expect(decimal(computed(call)), "the customer's own sum").toBe(call.computed_usd)
  await expectPromises(world, client.userId)
  const { items } = bill as { items: [Record<string, unknown>] }
  return { turn, item: items[0], call, micros: Math.round(turn.billed_cost_usd * 1e7) }
}

const LONG = { above_input_tokens: 1_000, input: 6, cached: 0.6, output: 22.5 }

test("A prompt above a limit has the prices of its tier for the whole call, and one at the limit has not", async () => {
  expect((await putPrices({ tiers: [LONG, { ...LONG, above_input_tokens: 2_000, input: 9 }] })).status).toBe(200)
  const client = await world.createAccount({ usd: 100 })
  expect(await billOf(client)).toMatchObject({
    micros: 1_000 * 30 + 10 * 150,
    item: { above_input_tokens: null, modifiers: [], price: { input: 3 } },
  })
  usage = { prompt_tokens: 1_001, completion_tokens: 10, prompt_tokens_details: { cached_tokens: 500 } }
  const long = await billOf(client)
  expect(long).toMatchObject({
    micros: 501 * 60 + 500 * 6 + 10 * 225,
    item: { above_input_tokens: 1_000, price: { input: 6, cached: 0.6, output: 22.5 } },
    call: {
      above_input_tokens: 1_000,
      lines: [{ unit_price_usd: "6.0000000" }, { kind: "cached" }, { kind: "output" }],
    },
  })
  expect(long.call).not.toHaveProperty("modifiers")
  usage = { prompt_tokens: 2_001, completion_tokens: 10 }
  expect((await billOf(client)).micros).toBe(2_001 * 90 + 10 * 225)
})

test("A turn that was accepted before a price has changed keeps its tiers, and its receipt stays", async () => {
  await putPrices({ tiers: [LONG] })
  usage = { prompt_tokens: 1_500, completion_tokens: 10 }
  const client = await world.createAccount({ usd: 100 })
  const { turn, call } = await billOf(client)
  await putPrices({})
  expect((await billOf(client)).micros).toBe(1_500 * 30 + 10 * 150)
  const again = (await (await client.call("GET", `/v1/turns/${turn.turn_id}/receipt`)).json()) as {
    receipt: { document: { calls: unknown[] } }
  }
  expect(again.receipt.document.calls).toEqual([call])
})

test.each([
  [{ service_tier: "flex" }, ["flex"], 0.5],
  [{ service_tier: "priority" }, ["priority"], 2],
  [{ service_tier: "default" }, [], 1],
  [{ service_tier: "auto" }, [], 1],
  [{ provider_specific_fields: { traffic_type: "ON_DEMAND_FLEX" } }, ["flex"], 0.5],
  [{ usage: { extra_properties: { google: { traffic_type: "ON_DEMAND_PRIORITY" } } } }, ["priority"], 2],
  [{ usage: { extra_properties: { google: { traffic_type: "ON_DEMAND" } } } }, [], 1],
  [{}, [], 1],
])("An answer that says %j is billed with the factor of that", async (words, modifiers, factor) => {
  await putPrices({ modifiers: { flex: 0.5, priority: 2 }, web_search: 0.01 })
  const { usage: more, ...rest } = words as { usage?: object }
  said = rest
  usage = { prompt_tokens: 1_000, completion_tokens: 10, num_search_queries: 1, ...more }
  const { item, call, micros } = await billOf(await world.createAccount({ usd: 100 }))
  expect(micros).toBe((1_000 * 30 + 10 * 150) * factor + 100_000)
  expect(item).toMatchObject({ modifiers, price: { input: 3 * factor, web_search_usd: 0.01 } })
  expect(call.modifiers).toEqual(modifiers.length > 0 ? modifiers : undefined)
})

test("A tier of service that the catalog does not know is billed at the model's own prices, and is a finding", async () => {
  await putPrices({ modifiers: { flex: 0.5 } })
  said = { service_tier: "turbo" }
  const { item, micros } = await billOf(await world.createAccount({ usd: 100 }))
  expect(micros).toBe(1_000 * 30 + 10 * 150)
  expect(item).toMatchObject({ modifiers: [] })
  await world.settled()
  expect(await world.sql("select code from infrastructure_errors where code = 'unpriced'")).not.toEqual([])
})

test("A hold pays for the dearest tier that the prompt can reach, and for the dearest region", async () => {
  const client = await world.createAccount({ usd: 100 })
  const body = { space: await client.space(), end_user_ref: "ada", model: PROVIDED_PIN, text: "x".repeat(5_000) }
  const needed = async (more: object) => {
    await putPrices(more)
    const answer = await client.call("POST", "/v1/turns/estimate", body)
    return ((await answer.json()) as { needed_usd: number }).needed_usd
  }
  const plain = await needed({})
  const tier = { input: 30, cached: 3, output: 150 }
  expect(await needed({ tiers: [{ ...tier, above_input_tokens: 1_000_000 }] })).toBe(plain)
  expect((await needed({ tiers: [{ ...tier, above_input_tokens: 1_000 }] })) / plain).toBeCloseTo(10, 3)
  expect((await needed({ modifiers: { geo_us: 1.5, flex: 0.5, priority: 2 } })) / plain).toBeCloseTo(1.5, 3)
})

test.each([
  [{ tiers: [LONG, { ...LONG, above_input_tokens: 1_000 }] }, "tiers"],
  [{ tiers: [{ ...LONG, input: undefined }] }, "tiers.0.input"],
  [{ tiers: [{ ...LONG, above_input_tokens: 0 }] }, "tiers.0.above_input_tokens"],
  [{ modifiers: { standard: 2 } }, "modifiers.standard"],
  [{ modifiers: { flex: 0.00001 } }, "modifiers.flex"],
  [{ modifiers: { flex: 0 } }, "modifiers.flex"],
])("Wrong terms are refused with their place: %j", async (more, param) => {
  const { status, body } = await putPrices(more)
  expect([status, body.detail.map(({ loc }: { loc: string[] }) => loc.slice(1).join("."))]).toEqual([422, [param]])
})

test("The catalog and the models of an account show tiers and factors", async () => {
  await putPrices({ tiers: [LONG], modifiers: { flex: 0.5 } })
  const client = await world.createAccount()
  const answer = (await (await client.call("GET", "/v1/models")).json()) as { data: { pin: string }[] }
  expect(answer.data.find(({ pin }) => pin === PROVIDED_PIN)).toMatchObject({
    price_tiers: [{ above_input_tokens: 1_000, input: 6, cached: 0.6, output: 22.5 }],
    price_modifiers: { flex: 0.5 },
  })
})
