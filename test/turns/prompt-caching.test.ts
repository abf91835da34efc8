import { afterAll, beforeAll, expect, test } from "vitest"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/**
 * Anthropic's prompt cache (its documents, "Prompt caching"), against a server that counts the
 * tokens of its requests.
 */

const PIN = "anthropic/caches"
/** Credit micros per token. */
const PRICES = { plain: 30, read: 3, written: 37.5, writtenHour: 60, output: 150 }
const MINUTES = 60_000

let world: World
let provider: ReturnType<typeof serveCachingAnthropic>
let shape = { steps: 10, calls: 1 }
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  await world.sql(
    "update model_catalog set price_cache_write = 37500000, price_cache_write_hour = 60000000 where pin = $1",
    [PIN],
  )
  provider = serveCachingAnthropic(world, "anthropic.test", { steps: () => shape.steps, calls: () => shape.calls })
  serveCustomer(world, { answer: () => Response.json({ order: "A-1", log: "shipped and signed for. ".repeat(40) }) })
})
afterAll(() => world.close())

const INSTRUCTIONS = "Answer shortly, and look each order up before you speak of it. ".repeat(40)

async function begin(config: object = {}) {
  const client = await world.createAccount({ usd: 100 })
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary" },
    manifest: { instructions: INSTRUCTIONS, builtin_tools: [] },
    ...config,
  })
  return { client, space }
}

/**
 * Runs a turn. Returns it, the provider's counts for each of its calls, and their cost at the
 * catalog's prices.
 */
async function run({ client, space }: { client: TestClient; space: string }, text: string) {
  const from = provider.seen.length
  const turn = await client.runTurn({ space, text, model: PIN, conversation: "talk" })
  const calls = provider.seen.slice(from)
  const sum = (of: (call: (typeof calls)[number]) => number) => calls.reduce((all, call) => all + of(call), 0)
  const tokens = {
    plain: sum(({ usage }) => usage.input_tokens),
    read: sum(({ usage }) => usage.cache_read_input_tokens),
    written: sum(({ usage }) => usage.cache_creation.ephemeral_5m_input_tokens),
    writtenHour: sum(({ usage }) => usage.cache_creation.ephemeral_1h_input_tokens),
    output: 20 * calls.length,
  }
  const kinds = Object.keys(tokens) as (keyof typeof tokens)[]
  const micros = kinds.reduce((all, kind) => all + tokens[kind] * PRICES[kind], 0)
  return { turn, calls, tokens, usd: micros / 1e7 }
}

test("Each call of a turn of ten steps reads the previous call's prompt from the cache and is billed for that", async () => {
  shape = { steps: 10, calls: 1 }
  const { client, space } = await begin()
  const { turn, calls, tokens, usd } = await run({ client, space }, "Where are my orders?")
  expect(turn).toMatchObject({ state: "done", usage: { model_calls: 10, tokens_cached: tokens.read } })
  expect(calls.map(({ usage }) => usage.cache_read_input_tokens)).toEqual([
    0,
    ...calls.map(({ prompt }) => prompt).slice(0, -1),
  ])
  expect(tokens).toMatchObject({ plain: 0, written: calls.at(-1)?.prompt, writtenHour: 0 })
  // Each call's price is rounded up to a credit micro.
  expect(Math.abs(turn.billed_cost_usd - usd) * 1e7).toBeLessThanOrEqual(10)
  const input = tokens.read + tokens.written
  const without = (input * PRICES.plain + tokens.output * PRICES.output) / 1e7
  console.log(
    `ten steps: ${turn.billed_cost_usd.toFixed(6)} USD, without breakpoints ${without.toFixed(6)}; ` +
      `${Math.round((100 * tokens.read) / input)} % of the input was cached`,
  )
  expect(turn.billed_cost_usd).toBeLessThan(without / 2)
  await expectPromises(world, client.userId)
})

test("A step with more parts than the provider's lookback still reads from the cache", async () => {
  shape = { steps: 4, calls: 14 }
  const { calls } = await run(await begin(), "Where are all of them?")
  // The first call reads what agents of other accounts have written.
  expect(calls.slice(1).map(({ usage }) => usage.cache_read_input_tokens)).toEqual(
    calls.map(({ prompt }) => prompt).slice(0, -1),
  )
})

test("The next turn reads instructions, tools and earlier turns from the cache, and writes them again after five minutes", async () => {
  shape = { steps: 2, calls: 1 }
  const talk = await begin()
  await run(talk, "Where is order A-1?")
  await run(talk, "And A-2?")
  await world.advance(4 * MINUTES)
  const soon = await run(talk, "And A-3?")
  expect(soon.tokens.writtenHour).toBe(0)
  const [first] = soon.calls
  expect(first?.usage.cache_read_input_tokens).toBeGreaterThan((first?.prompt ?? 0) * 0.8)

  await world.advance(10 * MINUTES)
  const paused = await run(talk, "And A-4?")
  expect(paused.calls[0]?.usage.cache_read_input_tokens).toBe(0)
  expect(paused.tokens.writtenHour, "the conversation pauses for longer than five minutes").toBeGreaterThan(0)
  expect(Math.abs(paused.turn.billed_cost_usd - paused.usd) * 1e7).toBeLessThanOrEqual(2)
  const bill = await (await world.signIn(talk.client.userId)).call(
    "GET",
    `/api/account/turns/${paused.turn.turn_id}/bill`,
  )
  const { items } = (await bill.json()) as {
    items: { tokens_cache_written_hour: number; price: { cache_written_hour: number } }[]
  }
  expect(items.reduce((sum, item) => sum + item.tokens_cache_written_hour, 0)).toBe(paused.tokens.writtenHour)
  expect(items[0]?.price.cache_written_hour).toBe(6)

  await world.advance(30 * MINUTES)
  const later = await run(talk, "And A-5?")
  expect(later.calls[0]?.usage.cache_read_input_tokens).toBeGreaterThan((later.calls[0]?.prompt ?? 0) * 0.8)
  await expectPromises(world, talk.client.userId)
})

test("A prompt that no later call can extend is not cached: the first message to an agent without tools", async () => {
  const talk = await begin({ tools: [] })
  const first = await run(talk, "Hello. ".repeat(300))
  expect(first.tokens.written).toBeLessThan(first.calls[0]?.prompt ?? 0)
  expect(first.tokens.plain).toBeGreaterThan(500)
  const second = await run(talk, "How are you?")
  expect(second.tokens.plain, "the conversation continues").toBe(0)
})
