import { afterAll, beforeAll, expect, test } from "vitest"
import { type Call, computed, decimal } from "../../examples/verify-receipts/documents.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { createCountingWorld } from "../harness/counting-world.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN } from "../harness/scripted-provider.ts"
import type { TestClient, World } from "../harness/world.ts"

let world: World
let usage: object = {}
beforeAll(async () => {
  world = await createCountingWorld(() => ({ usage }))
})
afterAll(() => world.close())

/** Sets prices of the model in credit micros per million tokens or per unit; the others are 3, 0.30 and 15 USD. */
const setPrices = (prices: Record<string, number | null>) =>
  world.sql(
    `update model_catalog set ${Object.entries(prices)
      .map(([column, micros]) => `${column} = ${micros}`)
      .join(", ")} where pin = $1`,
    [PROVIDED_PIN],
  )

/** Runs a turn, and reads what its bill, its receipt and the usage report say about it. */
async function billOf(client: TestClient, more: object = {}) {
  const turn = await client.runTurn({ space: await client.space(), model: PROVIDED_PIN, ...more })
  const owner = await world.signIn(client.userId)
  const bill = await (await owner.call("GET", `/api/account/turns/${turn.turn_id}/bill`)).json()
  const { items } = bill as { items: [Record<string, unknown> & { price: object; billed_usd: number }] }
  const answer = await client.call("GET", `/v1/turns/${turn.turn_id}/receipt`)
  const { receipt } = (await answer.json()) as { receipt: { document: { calls: [Call & { lines: object[] }] } } }
  const [call] = receipt.document.calls
  expect(decimal(computed(call)), "the customer's own sum").toBe(call.computed_usd)
  await expectPromises(world, client.userId)
  return { turn, item: items[0], call, lines: call.lines, micros: Math.round(turn.billed_cost_usd * 1e7) }
}

const spoken = {
  prompt_tokens: 1000,
  completion_tokens: 10,
  total_tokens: 1010,
  prompt_tokens_details: { cached_tokens: 300, audio_tokens: 200 },
}

test("Audio in a prompt is billed at its own price, with a count in the bill and a line in the receipt", async () => {
  await setPrices({ price_audio_input: 320_000_000 })
  usage = spoken
  const { item, lines, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(500 * 30 + 300 * 3 + 200 * 320 + 10 * 150)
  expect(item).toMatchObject({ tokens_input: 1000, tokens_cached: 300, tokens_audio: 200 })
  expect(item.price).toMatchObject({ audio_input: 32 })
  expect(lines).toEqual([
    { kind: "input", quantity: 500, unit_price_usd: "3.0000000", per: 1_000_000 },
    { kind: "cached", quantity: 300, unit_price_usd: "0.3000000", per: 1_000_000 },
    { kind: "audio_input", quantity: 200, unit_price_usd: "32.0000000", per: 1_000_000 },
    { kind: "output", quantity: 10, unit_price_usd: "15.0000000", per: 1_000_000 },
  ])
})

test("Audio costs as much as other input if the model has no price for it", async () => {
  await setPrices({ price_audio_input: null })
  usage = spoken
  const { item, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(700 * 30 + 300 * 3 + 10 * 150)
  expect(item).toMatchObject({ tokens_audio: 200, price: { audio_input: 3 } })
})

test("Audio that the cache served has the cache's price: no token is billed twice", async () => {
  await setPrices({ price_audio_input: 320_000_000 })
  usage = { ...spoken, prompt_tokens_details: { cached_tokens: 900, audio_tokens: 600 } }
  const { item, micros } = await billOf(await world.createAccount())
  expect(item).toMatchObject({ tokens_cached: 900, tokens_audio: 100 })
  expect(micros).toBe(900 * 3 + 100 * 320 + 10 * 150)
})

test("The hold pays for a prompt that is all audio", async () => {
  const client = await world.createAccount()
  const [space, end_user_ref] = [await client.space(), "customer-42"]
  const body = { space, end_user_ref, model: PROVIDED_PIN, text: "Hello. ".repeat(500) }
  const neededFor = async (price: number | null) => {
    await setPrices({ price_audio_input: price })
    const response = await client.call("POST", "/v1/turns/estimate", body)
    expect(response.status).toBe(200)
    return ((await response.json()) as { needed_usd: number }).needed_usd
  }
  const plain = await neededFor(null)
  expect(await neededFor(320_000_000)).toBeGreaterThan(plain * 5)
})

const searched = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 }

test.each([
  ["server_tool_use", { web_search_requests: 3 }],
  ["server_tool_use_details", { web_search_requests: 3 }],
  ["prompt_tokens_details", { web_search_requests: 3 }],
  ["server_side_tool_usage_details", { web_search_calls: 3 }],
  ["num_search_queries", 3],
])("Web searches that a provider reports in %s are billed at their own price", async (field, value) => {
  await setPrices({ price_web_search: 100_000, price_audio_input: null })
  usage = { ...searched, [field]: value }
  const { item, lines, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(100 * 30 + 10 * 150 + 3 * 100_000)
  expect(item).toMatchObject({ web_searches: 3, price: { web_search_usd: 0.01 } })
  expect(lines).toContainEqual({ kind: "web_search", quantity: 3, unit_price_usd: "0.0100000", per: 1 })
})

test("Searches of posts on X are counted and billed apart from web searches", async () => {
  await setPrices({ price_web_search: 100_000, price_x_search: 50_000, price_audio_input: null })
  usage = { ...searched, server_side_tool_usage_details: { web_search_calls: 1, x_search_calls: 4 } }
  const { item, lines, micros } = await billOf(await world.createAccount())
  await setPrices({ price_x_search: null })
  expect(micros).toBe(100 * 30 + 10 * 150 + 100_000 + 4 * 50_000)
  expect(item).toMatchObject({ web_searches: 1, x_searches: 4, price: { x_search_usd: 0.005 } })
  expect(lines).toContainEqual({ kind: "x_search", quantity: 4, unit_price_usd: "0.0050000", per: 1 })
})

test.each([
  ["server_tool_use", { code_execution_requests: 2 }],
  ["server_side_tool_usage_details", { web_search_calls: 0, code_interpreter_calls: 2 }],
])("Runs of code that a provider reports in %s are billed at their own price", async (field, value) => {
  await setPrices({ price_code_execution: 50_000, price_web_search: 100_000, price_audio_input: null })
  usage = { ...searched, [field]: value }
  const { item, lines, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(100 * 30 + 10 * 150 + 2 * 50_000)
  expect(item).toMatchObject({ code_executions: 2, price: { code_execution_usd: 0.005 } })
  expect(lines).toContainEqual({ kind: "code_execution", quantity: 2, unit_price_usd: "0.0050000", per: 1 })
  await setPrices({ price_code_execution: null, price_web_search: null })
})

test("Web searches without a price are free, counted in the bill, and no line of the receipt", async () => {
  await setPrices({ price_web_search: null })
  usage = { ...searched, num_search_queries: 3 }
  const { item, call, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(100 * 30 + 10 * 150)
  expect(item).toMatchObject({ web_searches: 3, price: { web_search_usd: null } })
  const lines = [{ kind: "input" }, { kind: "output" }]
  expect(call).toMatchObject({ computed_usd: "0.0004500", waived_for: null, lines })
})

test("The hold pays for the most searches of a call, and more of them are our loss", async () => {
  await setPrices({ price_web_search: 100_000 })
  usage = { ...searched, num_search_queries: 25 }
  const client = await world.createAccount()
  const { turn, item, micros } = await billOf(client)
  expect(micros, "20 searches").toBe(100 * 30 + 10 * 150 + 20 * 100_000)
  expect(item).toMatchObject({ web_searches: 20 })
  const losses = await world.sql("select cause, credit_micros::int as micros from losses where turn_id = $1", [
    turn.turn_id,
  ])
  expect(losses).toEqual([{ cause: "over_hold", micros: 5 * 100_000 }])
  const [space, end_user_ref] = [await client.space(), "customer-42"]
  const body = { space, end_user_ref, model: PROVIDED_PIN, text: "Hello." }
  const estimate = await (await client.call("POST", "/v1/turns/estimate", body)).json()
  expect((estimate as { needed_usd: number }).needed_usd).toBeGreaterThan(0.2)
  const bounded = await (await client.call("POST", "/v1/turns/estimate", { ...body, max_cost_usd: 0.15 })).json()
  expect(bounded).toMatchObject({ admitted: false, refused_by: { code: "COST_LIMIT_TOO_LOW" } })
})

const thoughtful = {
  prompt_tokens: 1000,
  completion_tokens: 500,
  total_tokens: 1500,
  completion_tokens_details: { reasoning_tokens: 400 },
}

test("Reasoning is counted apart in turns, bills and receipts, and billed at its own price", async () => {
  await setPrices({ price_reasoning: 40_000_000 })
  usage = thoughtful
  const { turn, item, lines, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(1000 * 30 + 100 * 150 + 400 * 40)
  expect(turn.usage).toMatchObject({ tokens_output: 500, tokens_reasoning: 400 })
  expect(item).toMatchObject({ tokens_output: 500, tokens_reasoning: 400, price: { reasoning: 4 } })
  expect(lines.slice(-2)).toEqual([
    { kind: "output", quantity: 100, unit_price_usd: "15.0000000", per: 1_000_000 },
    { kind: "reasoning", quantity: 400, unit_price_usd: "4.0000000", per: 1_000_000 },
  ])
})

test("Reasoning costs as much as other output if the model has no price for it", async () => {
  await setPrices({ price_reasoning: null })
  usage = thoughtful
  const { item, micros } = await billOf(await world.createAccount())
  expect(micros).toBe(1000 * 30 + 500 * 150)
  expect(item).toMatchObject({ tokens_reasoning: 400, price: { reasoning: 15 } })
})

test("Reasoning that a provider counts besides the output is output, too, and is billed once", async () => {
  await setPrices({ price_reasoning: 40_000_000 })
  usage = { ...thoughtful, completion_tokens: 100 }
  const { turn, micros } = await billOf(await world.createAccount())
  expect(turn.usage).toMatchObject({ tokens_output: 500, tokens_reasoning: 400 })
  expect(micros).toBe(1000 * 30 + 100 * 150 + 400 * 40)
})

test("The hold pays for an answer that is all reasoning", async () => {
  const client = await world.createAccount()
  const body = { space: await client.space(), end_user_ref: "ada", model: PROVIDED_PIN, text: "Hello." }
  const neededFor = async (price: number | null) => {
    await setPrices({ price_reasoning: price })
    const response = await client.call("POST", "/v1/turns/estimate", body)
    return ((await response.json()) as { needed_usd: number }).needed_usd
  }
  const plain = await neededFor(null)
  expect(await neededFor(1)).toBe(plain)
  const dear = await neededFor(1_500_000_000)
  expect(Math.round((dear - plain) * 1e7)).toBe(TURN_POLICY.minOutputTokens * (1500 - 150))
})
