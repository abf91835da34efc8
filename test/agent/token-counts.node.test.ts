import { describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { EngineContext, ModelCall } from "../../src/agent/engine.ts"
import type { ModelUsage } from "../../src/agent/token-names.ts"
import { textMessage } from "../harness/steps.ts"
import { providerStream } from "../harness/streams.ts"

type Engine = "anthropic" | "openai" | "openai-compatible"

const account = { apiKey: "sk-test", baseUrl: "https://model.test/v1" }

const callOf = (engine: Engine): ModelCall => ({
  engine,
  model: "m",
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }],
  attempt: 0,
})

async function answerTo(engine: Engine, events: Record<string, unknown>[]) {
  const counted: Partial<ModelUsage>[] = []
  const context: EngineContext = {
    fetch: providerStream(events, { named: engine !== "openai-compatible" }),
    accounts: { anthropic: account, openai: account, "openai-compatible": account },
    sleep: async () => {},
    signal: new AbortController().signal,
    loadObject: async () => null,
    onText: () => {},
    onProgress: ({ usage }) => usage && counted.push(usage),
  }
  const answer = await callModel(context, callOf(engine))
  return { ...answer, counted: Object.assign({}, ...counted) as Partial<ModelUsage> }
}

/** A chat completion with this usage in its last chunk. */
function completion(usage: unknown, delta: object = { content: "Yes" }) {
  return answerTo("openai-compatible", [
    { id: "c", choices: [{ index: 0, delta, finish_reason: "stop" }] },
    { id: "c", choices: [], usage },
  ])
}

describe("The output tokens of a chat completion", () => {
  test.each<[string, Record<string, unknown>, number]>([
    ["completion_tokens alone", { completion_tokens: 7 }, 7],
    ["the total agrees", { completion_tokens: 7, total_tokens: 27 }, 7],
    // xAI counts reasoning in addition to completion_tokens.
    [
      "reasoning next to it",
      { completion_tokens: 9, total_tokens: 123, completion_tokens_details: { reasoning_tokens: 94 } },
      103,
    ],
    // Gemini counts thoughts only in the total.
    ["thoughts in the total only", { completion_tokens: 9, total_tokens: 80 }, 60],
    ["no completion_tokens", { total_tokens: 50 }, 30],
    ["null", { completion_tokens: null, total_tokens: 50 }, 30],
    ["a total below the prompt", { completion_tokens: 7, total_tokens: 5 }, 7],
    ["a total of 0", { completion_tokens: 7, total_tokens: 0 }, 7],
    ["a total that is not an integer", { completion_tokens: 7, total_tokens: 40.5 }, 7],
    ["a total that is a text", { completion_tokens: 7, total_tokens: "40" }, 7],
    ["a total beyond the call's maximum", { completion_tokens: 7, total_tokens: 5_000_000 }, 7],
    ["null as the total", { completion_tokens: 7, total_tokens: null }, 7],
    ["a count that is a text", { completion_tokens: "7", total_tokens: 27 }, 7],
  ])("Output tokens are correct: %s", async (_what, counts, tokensOutput) => {
    const { usage, counted } = await completion({ prompt_tokens: 20, ...counts })
    expect(usage).toMatchObject({ tokensInput: 20, tokensCached: 0, tokensOutput })
    const { completion_tokens_details: parts } = counts
    const { reasoning_tokens: thought } = (parts ?? {}) as { reasoning_tokens?: number }
    expect(usage.tokensReasoning, "the part that is reasoning").toBe(thought)
    expect(counted, "reported while the answer arrives").toMatchObject({ tokensInput: 20, tokensOutput })
  })
})

describe("The cached input tokens of a chat completion", () => {
  test.each<[string, Record<string, unknown>, number]>([
    ["DeepSeek's prompt_cache_hit_tokens", { prompt_cache_hit_tokens: 15, prompt_cache_miss_tokens: 5 }, 15],
    ["both names", { prompt_cache_hit_tokens: 15, prompt_tokens_details: { cached_tokens: 15 } }, 15],
    ["null details", { prompt_cache_hit_tokens: 15, prompt_tokens_details: null }, 15],
    ["null", { prompt_cache_hit_tokens: null, prompt_tokens_details: { cached_tokens: 12 } }, 12],
    ["no number", { prompt_cache_hit_tokens: "15" }, 0],
  ])("Cached tokens are correct: %s", async (_what, counts, tokensCached) => {
    const { usage } = await completion({ prompt_tokens: 20, completion_tokens: 7, ...counts })
    expect(usage).toEqual({ tokensInput: 20, tokensCached, tokensOutput: 7 })
  })
})

test("Cached tokens that are more than the prompt are counted in addition to it", async () => {
  const { usage } = await completion({ prompt_tokens: 20, completion_tokens: 7, prompt_cache_hit_tokens: 50 })
  expect(usage).toEqual({ tokensInput: 70, tokensCached: 50, tokensOutput: 7 })
})

test("The Responses format counts reasoning that appears only in its total", async () => {
  const item = { type: "message", id: "m", role: "assistant" }
  const usage = { input_tokens: 20, output_tokens: 9, total_tokens: 80 }
  const { usage: counted } = await answerTo("openai", [
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: "response.output_text.delta", item_id: "m", delta: "Yes" },
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response: { id: "r", usage } },
  ])
  expect(counted).toEqual({ tokensInput: 20, tokensCached: 0, tokensOutput: 60 })
})

describe("An estimate of four bytes per token for an answer without a count", () => {
  const call = (args: string) => ({
    tool_calls: [{ index: 0, id: "a", type: "function", function: { name: "look", arguments: args } }],
  })

  test.each<[string, object, number]>([
    ["Yes", { content: "Yes" }, 1],
    ["a text", { content: "Hello you" }, 3],
    ["umlauts by their bytes", { content: "äöüß" }, 2],
    ["reasoning and text", { reasoning_content: "Hmm, well", content: "Yes" }, 3],
    ["a call's input", call('{"id":"12345"}'), 4],
    ["a call without input", call(""), 1],
    ["at most the call's maximum", { content: "x".repeat(10_000) }, 100],
  ])("The estimate is correct: %s", async (_what, delta, tokensOutput) => {
    for (const usage of [undefined, null, { prompt_tokens: null, completion_tokens: null, total_tokens: null }]) {
      const answer = await completion(usage, delta)
      expect(answer.usage.tokensOutput).toBe(tokensOutput)
      expect(answer.usage.tokensInput).toBeGreaterThan(0)
    }
  })

  test("The estimate also replaces null counts of Anthropic and OpenAI", async () => {
    const usage = { input_tokens: null, output_tokens: null }
    const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null, usage }
    const anthropic = await answerTo("anthropic", [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello you" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
      { type: "message_stop" },
    ])
    const item = { type: "message", id: "m", role: "assistant" }
    const openai = await answerTo("openai", [
      { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_text.delta", item_id: "m", delta: "Hello you" },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "r", usage } },
    ])
    for (const answer of [anthropic, openai]) {
      expect(answer).toMatchObject({ text: "Hello you", finish: "stop", usage: { tokensOutput: 3 } })
      expect(answer.usage.tokensInput).toBeGreaterThan(0)
    }
  })
})
