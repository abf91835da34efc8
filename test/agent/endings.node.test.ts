import { describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import { type EngineContext, type ModelCall, ModelError } from "../../src/agent/engine.ts"
import { textMessage } from "../harness/steps.ts"
import { providerStream } from "../harness/streams.ts"

type Engine = "anthropic" | "openai" | "openai-compatible"

const account = { apiKey: "sk-test", baseUrl: "https://model.test/v1" }

const contextFor = (fetch: () => Promise<Response>): EngineContext => ({
  fetch,
  accounts: { anthropic: account, openai: account, "openai-compatible": account },
  sleep: async () => {},
  signal: new AbortController().signal,
  loadObject: async () => null,
  onText: () => {},
})

const callOf = (engine: Engine): ModelCall => ({
  engine,
  model: "m",
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }],
  attempt: 0,
})

const answerTo = (engine: Engine, events: Record<string, unknown>[]) =>
  callModel(contextFor(providerStream(events, { named: engine !== "openai-compatible" })), callOf(engine))

const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
const counted = { tokensInput: 3, tokensOutput: 2 }
const chunkOf = (choice: object) => ({ id: "c", choices: [{ index: 0, ...choice }] })
const look = { index: 0, id: "a", type: "function", function: { name: "look", arguments: "{}" } }

const completion = (reason: unknown, delta: object = { content: "Whole answer." }) =>
  answerTo("openai-compatible", [
    chunkOf({ delta }),
    chunkOf({ delta: {}, finish_reason: reason }),
    { id: "c", choices: [], usage },
  ])

function message(stopReason: string, text = "Whole answer.") {
  const start = {
    type: "message",
    id: "m",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 3, output_tokens: 1 },
  }
  return answerTo("anthropic", [
    { type: "message_start", message: start },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: stopReason }, usage: { output_tokens: 2 } },
    { type: "message_stop" },
  ])
}

function response(type: string, more: object, delta = "response.output_text.delta") {
  const item = { type: "message", id: "m", role: "assistant" }
  return answerTo("openai", [
    { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
    { type: "response.output_item.added", output_index: 0, item },
    { type: delta, item_id: "m", delta: "Whole answer." },
    { type: "response.output_item.done", output_index: 0, item },
    { type, response: { id: "r", usage: { input_tokens: 3, output_tokens: 2 }, ...more } },
  ])
}

describe("The end of an answer", () => {
  test.each([
    ["stop", "stop"],
    ["length", "length"],
    ["max_tokens", "length"],
    ["MAX_TOKENS", "length"],
    ["model_length", "length"],
    ["content_filter", "filtered"],
    ["content_filter: RECITATION", "filtered"],
    ["SAFETY", "filtered"],
    ["sensitive", "filtered"],
    ["refusal", "refused"],
    ["error", "error"],
    ["insufficient_system_resource", "error"],
    ["eos", "other"],
  ])("A chat completion with finish_reason %s ends as %s", async (reason, finish) => {
    expect(await completion(reason)).toMatchObject({ text: "Whole answer.", finish, usage: counted })
  })

  test("A chat completion whose text is a refusal ends as a refusal", async () => {
    const answer = await completion("stop", { refusal: "I cannot help with that." })
    expect(answer).toMatchObject({ text: "I cannot help with that.", finish: "refused", usage: counted })
  })

  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refused"],
  ])("An Anthropic message with stop_reason %s ends as %s", async (reason, finish) => {
    expect(await message(reason)).toMatchObject({ text: "Whole answer.", finish, usage: counted })
  })

  test("An OpenAI response that is incomplete, filtered or a refusal ends with that reason", async () => {
    const incomplete = (reason: string) => response("response.incomplete", { incomplete_details: { reason } })
    expect(await incomplete("max_output_tokens")).toMatchObject({ finish: "length", usage: counted })
    expect(await incomplete("content_filter")).toMatchObject({ finish: "filtered", usage: counted })
    const refused = await response("response.completed", {}, "response.refusal.delta")
    expect(refused).toMatchObject({ text: "Whole answer.", finish: "refused", usage: counted })
  })

  test.each(["content_filter", "refusal", "error"])("Calls in an answer with %s are not made", async (reason) => {
    const answer = await completion(reason, { content: "Let me see.", tool_calls: [look] })
    expect(answer.content).toEqual([expect.objectContaining({ type: "text", text: "Let me see." })])
  })

  test("Calls decide the end if a server says stop or gives no reason", async () => {
    for (const reason of ["stop", "tool_calls", null, undefined]) {
      expect(await completion(reason, { tool_calls: [look] })).toMatchObject({ finish: "tool-calls" })
    }
  })
})

describe("A frame with an unusual part", () => {
  const whole = [
    chunkOf({ delta: { content: "Whole answer." } }),
    chunkOf({ delta: {}, finish_reason: "content_filter" }),
  ]
  test.each<[string, Record<string, unknown>]>([
    ["choices: null", { id: "c", choices: null, usage }],
    ["a choice that is null", { id: "c", choices: [null], usage }],
    ["a custom role", { ...chunkOf({ delta: { role: "model", content: "" } }), usage }],
    ["a finish_reason that is not text", { ...chunkOf({ delta: {}, finish_reason: 0 }), usage }],
    ["content that is not text", { ...chunkOf({ delta: { content: 7 } }), usage }],
    ["tool_calls with null", { ...chunkOf({ delta: { tool_calls: [null] } }), usage }],
    [
      "counts that are null",
      { id: "c", choices: [], usage: { ...usage, prompt_tokens_details: { cached_tokens: "x" } } },
    ],
    ["error: null", { id: "c", choices: [], usage, error: null }],
    ["error: an empty text", { id: "c", choices: [], usage, error: "" }],
  ])("A frame with %s changes neither the answer nor its end and count", async (_what, frame) => {
    const answer = await answerTo("openai-compatible", [...whole, frame])
    expect(answer).toMatchObject({ text: "Whole answer.", finish: "filtered", usage: counted })
  })

  test.each<[string, object]>([
    ["a text", { error: "overloaded" }],
    ["an object without a message", { error: { code: 503 } }],
    ["an object with a message", { error: { message: "overloaded", code: 503 } }],
    ["vLLM's form", { object: "error", message: "overloaded", code: 503 }],
    [
      "next to choices",
      { ...chunkOf({ delta: { content: "" }, finish_reason: "error" }), error: { message: "overloaded" } },
    ],
  ])("A real error ends the call: %s", async (_what, frame) => {
    const failure = await answerTo("openai-compatible", [chunkOf({ delta: { content: "Whole" } }), { ...frame }]).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(ModelError)
    expect(failure).toMatchObject({ kind: "unavailable", message: expect.stringMatching(/overloaded|503/) })
  })

  test("A stream that announces its end is complete without a finish_reason and without a count", async () => {
    const answer = await answerTo("openai-compatible", [chunkOf({ delta: { content: "Whole answer." } })])
    expect(answer).toMatchObject({ text: "Whole answer.", usage: { tokensOutput: 4 } })
    await expect(answerTo("openai-compatible", [])).rejects.toMatchObject({ kind: "unavailable" })
  })
})
