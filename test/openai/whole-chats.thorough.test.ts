import type OpenAI from "openai"
import { afterAll, beforeAll, expect, test } from "vitest"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { addModel } from "../harness/models.ts"
import { openAiOf, turnIn } from "../harness/openai-clients.ts"
import { createWorld, type World } from "../harness/world.ts"

const PIN = "anthropic/caches"
const TURNS = 20
const WORDS = "All of this is said again and again. ".repeat(55)

let world: World
let provider: ReturnType<typeof serveCachingAnthropic>
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  provider = serveCachingAnthropic(world, "anthropic.test", {
    steps: () => 1,
    says: () => WORDS,
    window: () => 200_000,
  })
})
afterAll(() => world.close())

test("A chat of 20 turns that is sent whole each time is read from the cache as a conversation is", async () => {
  const client = await world.createAccount({ usd: 100 })
  const openai = openAiOf(world, client)
  const model = await client.space({ manifest: { model: PIN, builtin_tools: [], instructions: WORDS } })
  const chat = async (about: string, more: object) => {
    const from = provider.seen.length
    const messages: OpenAI.Chat.Completions.ChatCompletionMessageParam[] = []
    let usd = 0
    for (let nth = 0; nth < TURNS; nth++) {
      messages.push({ role: "user", content: `${about} ${nth}: ${WORDS}` })
      const completion = await openai.chat.completions.create({ model, user: "customer-1", messages, ...more })
      messages.push({ role: "assistant", content: completion.choices[0]?.message.content ?? "" })
      usd += turnIn(completion).billed_cost_usd
      await world.advance(10_000)
    }
    const calls = provider.seen.slice(from)
    const sum = (numbers: number[]) => numbers.reduce((all, number) => all + number, 0)
    const read = sum(calls.map(({ usage }) => usage.cache_read_input_tokens))
    return { calls: calls.length, share: read / sum(calls.map(({ prompt }) => prompt)), usd }
  }
  const whole = await chat("Whole", {})
  const conversation = await chat("Known", { conversation: "chat-1" })
  console.log({ whole, conversation })
  expect(whole.calls).toBe(TURNS)
  expect(whole.share).toBeGreaterThan(0.85)
  expect(whole.usd).toBeLessThan(1.05 * conversation.usd)
})
