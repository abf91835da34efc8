import { afterAll, beforeAll, expect, test } from "vitest"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { attributesOf, exportTraces, serveCollector, TRACE_ENDPOINT_PATH } from "../harness/otlp.ts"
import { createWorld, type World } from "../harness/world.ts"

const PIN = "anthropic/caches"

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  serveCustomer(world)
})
afterAll(() => world.close())

test("Spans have the tokens that the provider's cache has read and written, and the price of each model call", async () => {
  const provider = serveCachingAnthropic(world, "anthropic.test", { steps: () => 2 })
  const collector = serveCollector(world)
  const client = await world.createAccount({ usd: 100 })
  const browser = await world.signIn(client.userId)
  expect((await browser.json("PUT", TRACE_ENDPOINT_PATH, { url: collector.url }))[0]).toBe(200)
  const instructions = "Answer shortly, and look each order up before you speak of it. ".repeat(40)
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "token-1" },
    manifest: { instructions, builtin_tools: [] },
  })
  const turn = await client.runTurn({ space, text: "Where is my order?", model: PIN })
  expect(turn.state).toBe("done")
  await exportTraces(world)

  const spans = collector.spans().map((span) => ({ name: span.name, ...attributesOf(span) }) as Record<string, unknown>)
  const chats = spans.filter(({ name }) => name === "chat caches")
  const [root] = spans.filter(({ name }) => String(name).startsWith("invoke_agent"))
  const counted = provider.seen.map(({ usage }) => ({
    read: usage.cache_read_input_tokens,
    written: usage.cache_creation_input_tokens,
  }))
  const shown = (span: Record<string, unknown> = {}) => ({
    read: Number(span["gen_ai.usage.cache_read.input_tokens"]),
    written: Number(span["gen_ai.usage.cache_write.input_tokens"]),
  })
  expect(chats.map(shown)).toEqual(counted)
  const sum = (of: (one: { read: number; written: number }) => number) =>
    counted.reduce((total, one) => total + of(one), 0)
  const all = { read: sum(({ read }) => read), written: sum(({ written }) => written) }
  expect(Math.min(all.read, all.written)).toBeGreaterThan(0)
  expect(shown(root)).toEqual(all)
  const prices = chats.map((chat) => chat["turnpike.call.billed_usd"] as number)
  for (const price of prices) expect(price).toBeGreaterThan(0)
  expect(prices.reduce((total, price) => total + price, 0)).toBeCloseTo(turn.billed_cost_usd, 6)
  expect(root?.["turnpike.turn.billed_usd"]).toBe(turn.billed_cost_usd)
})
