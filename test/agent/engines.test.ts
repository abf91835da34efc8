import { afterAll, beforeAll, describe, expect, inject, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import { type EngineContext, type ModelCall, ModelError } from "../../src/agent/engine.ts"
import type { Turn } from "../../src/turns/schemas.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { textMessage } from "../harness/steps.ts"
import { completionChunk, providerStream } from "../harness/streams.ts"
import { createWorld, type World } from "../harness/world.ts"

const ENGINES = [
  { pin: "anthropic/messages-model", path: "/v1/messages" },
  { pin: "openai/responses-model", path: "/v1/responses" },
  { pin: "openai-compatible/chat-model", path: "/v1/chat/completions" },
]

const modelUrl = () => inject("modelUrl")

let world: World
beforeAll(async () => {
  const accounts = { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: `${modelUrl()}/v1`, OPENAI_API_KEY: "sk-test" }
  world = await createWorld({ env: { ...accounts, OPENAI_BASE_URL: `${modelUrl()}/v1` } })
  for (const { pin } of ENGINES) await addModel(world, pin)
})
afterAll(() => world.close())

describe.each(ENGINES)("$pin, against a server with its protocol", ({ pin, path }) => {
  test("The engine runs a turn with history, counts its tokens and bills them", async () => {
    const client = await world.createAccount()
    const space = await client.space({ manifest: { instructions: `Be kind (${pin}).`, max_output_tokens: 200 } })
    const send = async (text: string) => {
      const turn = (await (await client.sendTurn({ space, text, model: pin })).json()) as Turn
      await world.drain()
      return client.getTurn(turn.turn_id)
    }
    const first = await send("My name is Ada.")
    const second = await send("What is my name?")
    for (const turn of [first, second]) {
      expect(turn).toMatchObject({
        state: "done",
        result: "Hello from the model.",
        usage: { model_calls: 1, tokens_input: 120, tokens_cached: 0, tokens_output: 30 },
        billed_cost_usd: (120 * 3 + 30 * 15) / 1_000_000,
      })
    }
    const sent = await lastRequest(path)
    const shown = JSON.stringify(sent)
    for (const part of ["Be kind", "My name is Ada.", "Hello from the model.", "What is my name?", "200"]) {
      expect(shown).toContain(part)
    }
    await expectPromises(world, client.userId)
  })
})

/** The last request to the model server at `path`. */
async function lastRequest(path: string): Promise<unknown> {
  const response = await fetch(`${modelUrl()}/__aimock/journal?path=${encodeURIComponent(path)}`)
  const entries = (await response.json()) as { path: string; body: unknown }[]
  return entries.filter((entry) => entry.path === path).at(-1)?.body
}

function contextFor(overrides: Partial<EngineContext> = {}): EngineContext {
  const baseUrl = `${modelUrl()}/v1`
  return {
    fetch: (input, init) => fetch(input, init),
    accounts: {
      anthropic: { apiKey: "sk-test", baseUrl },
      openai: { apiKey: "sk-test", baseUrl },
      "openai-compatible": { baseUrl },
    },
    sleep: async () => {},
    signal: new AbortController().signal,
    loadObject: async () => null,
    onText: () => {},
    ...overrides,
  }
}

const callOf = (engine: ModelCall["engine"], model: string): ModelCall => ({
  engine,
  model,
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [],
  attempt: 0,
})

describe("Cached tokens", () => {
  test("An OpenAI-compatible server reports cached tokens as a part of the prompt's tokens", async () => {
    const accounts = { "openai-compatible": { baseUrl: `${modelUrl()}/api/v1` } }
    const answer = await callModel(contextFor({ accounts }), callOf("openai-compatible", "cached-model"))
    expect(answer.usage).toEqual({ tokensInput: 120, tokensCached: 100, tokensOutput: 30 })
  })

  // The model server cannot report these, so the test uses the providers' documented answers.
  test("Anthropic reports cached tokens separately, and they count as a part of the prompt", async () => {
    const usage = { input_tokens: 20, cache_read_input_tokens: 90, cache_creation_input_tokens: 10, output_tokens: 30 }
    const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null, usage }
    const events = [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "hi" } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 30 } },
      { type: "message_stop" },
    ]
    const answer = await callModel(contextFor({ fetch: providerStream(events) }), callOf("anthropic", "m"))
    expect(answer.usage).toEqual({ tokensInput: 120, tokensCached: 90, tokensCacheWritten: 10, tokensOutput: 30 })
  })
  test("OpenAI learns which calls share a prefix, and a compatible server, which may reject the field, does not", async () => {
    const cache = { key: "space-1", lifetime: "5m" as const, breakpoints: [{ message: 0, lifetime: "5m" as const }] }
    const bodies: Record<string, unknown>[] = []
    const answered = async (_input: unknown, init?: RequestInit) => {
      bodies.push(JSON.parse(String(init?.body)))
      return Response.json({ error: { message: "no" } }, { status: 400 })
    }
    for (const engine of ["openai", "openai-compatible"] as const) {
      const call = callModel(contextFor({ fetch: answered as typeof fetch }), { ...callOf(engine, "m"), cache })
      await expect(call).rejects.toThrow(ModelError)
    }
    expect(bodies.map(({ prompt_cache_key }) => prompt_cache_key)).toEqual(["space-1", undefined])
    expect(JSON.stringify(bodies)).not.toContain("cache_control")
  })
  test("OpenAI reports cached tokens as a part of input_tokens", async () => {
    const usage = { input_tokens: 120, input_tokens_details: { cached_tokens: 90 }, output_tokens: 30 }
    const item = { type: "message", id: "m", role: "assistant" }
    const response = { id: "r", created_at: 1, model: "m", usage, incomplete_details: null, service_tier: null }
    const events = [
      { type: "response.created", response },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_text.delta", item_id: "m", delta: "hi", logprobs: null },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ]
    const answer = await callModel(contextFor({ fetch: providerStream(events) }), callOf("openai", "m"))
    expect(answer).toMatchObject({ text: "hi", usage: { tokensInput: 120, tokensCached: 90, tokensOutput: 30 } })
  })
  test("A server that reports no usage is not free", async () => {
    const fetch = providerStream([completionChunk("hello you")], { named: false })
    const answer = await callModel(contextFor({ fetch }), callOf("openai-compatible", "m"))
    expect(answer.usage).toEqual({ tokensInput: 1, tokensCached: 0, tokensOutput: 3 })
  })
})

test("Characters that the database cannot store are removed from an answer", async () => {
  const events = [completionChunk("a\u0000b\ud83d", { prompt_tokens: 1, completion_tokens: 1 })]
  const fetch = providerStream(events, { named: false })
  const answer = await callModel(contextFor({ fetch }), callOf("openai-compatible", "m"))
  expect(answer.text).toBe("ab\ufffd")
})

describe("A provider's failure", () => {
  const engines = ["anthropic", "openai", "openai-compatible"] as const
  const failureOf = (context: EngineContext, call: ModelCall) =>
    callModel(context, call).then(
      () => null,
      (error: unknown) => error,
    )

  test.each(engines)(
    "With %s, 429 and 5xx are unavailable, another 4xx is rejected, and no key appears",
    async (engine) => {
      for (const [model, kind] of [
        ["busy-model", "unavailable"],
        ["broken-model", "unavailable"],
        ["strict-model", "rejected"],
      ] as const) {
        const error = await failureOf(contextFor(), callOf(engine, model))
        expect(error).toBeInstanceOf(ModelError)
        expect(error).toMatchObject({ kind })
        expect((error as ModelError).message).not.toContain("canary")
      }
    },
  )
  test.each(engines)(
    "With %s, Retry-After, malformed answers, a lost connection and a missing account are recognised",
    async (engine) => {
      const busy = async () =>
        Response.json({ error: { message: "slow down" } }, { status: 429, headers: { "retry-after": "7" } })
      expect(await failureOf(contextFor({ fetch: busy }), callOf(engine, "m"))).toMatchObject({ retryAfterMs: 7000 })
      const garbage = async () => new Response("<html>", { status: 200 })
      expect(await failureOf(contextFor({ fetch: garbage }), callOf(engine, "m"))).toMatchObject({
        kind: "unavailable",
      })
      const nobody = async () => {
        throw new TypeError("connection refused")
      }
      expect(await failureOf(contextFor({ fetch: nobody }), callOf(engine, "m"))).toMatchObject({ kind: "unavailable" })
      expect(await failureOf(contextFor({ accounts: {} }), callOf(engine, "m"))).toMatchObject({ kind: "unavailable" })
    },
  )
  test.each(engines)("With %s, an abort ends the call with its reason", async (engine) => {
    const controller = new AbortController()
    const hanging: typeof fetch = (_input, init) =>
      new Promise((_resolve, reject) => {
        init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        controller.abort(new Error("enough"))
      })
    const context = contextFor({ fetch: hanging, signal: controller.signal })
    expect(await failureOf(context, callOf(engine, "m"))).toMatchObject({ message: "enough" })
  })
})

describe("An unknown frame in a complete answer", () => {
  const usage = { input_tokens: 3, output_tokens: 2 }
  const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null, usage }
  const item = { type: "message", id: "m", role: "assistant" }
  const counted = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
  const completion = (choice: object) => ({ id: "c", choices: [{ index: 0, ...choice }] })
  const answers: Record<"anthropic" | "openai" | "openai-compatible", object[]> = {
    anthropic: [
      { type: "message_start", message },
      { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Whole " } },
      { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "answer." } },
      { type: "content_block_stop", index: 0 },
      { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 2 } },
      { type: "message_stop" },
    ],
    openai: [
      { type: "response.created", response: { id: "r", created_at: 1, model: "m" } },
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_text.delta", item_id: "m", delta: "Whole " },
      { type: "response.output_text.delta", item_id: "m", delta: "answer." },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response: { id: "r", usage } },
    ],
    "openai-compatible": [
      completion({ delta: { role: "assistant", content: "Whole " } }),
      completion({ delta: { content: "answer." } }),
      completion({ delta: {}, finish_reason: "stop" }),
      { id: "c", usage: counted },
    ],
  }
  const foreign = ["", "not JSON", "null", "7", "[]", "{}", '{"type":"vendor.event","note":1}', '{"error":null}']
  const frame = (data: string) => `data: ${data}\n\n`
  const answering = (frames: string[]) => async () =>
    new Response(frames.map(frame).join(""), { headers: { "content-type": "text/event-stream" } })
  const seed = 20_261_125

  test.each(Object.keys(answers) as (keyof typeof answers)[])(
    `With %s, 30 streams give the whole answer and its count in one call (seed ${seed})`,
    async (engine) => {
      const random = createRandom("foreign frames", seed)
      for (let round = 0; round < 30; round++) {
        const frames = answers[engine].map((event) => JSON.stringify(event))
        const odd = random.pick(foreign)
        const at = random.int(frames.length + 1)
        const end = engine === "openai-compatible" ? ["[DONE]"] : []
        let calls = 0
        const answer = answering([...frames.slice(0, at), odd, ...frames.slice(at), ...end])
        const fetch = () => {
          calls++
          return answer()
        }
        const came = await callModel(contextFor({ fetch }), callOf(engine, "m"))
        expect(came, `${odd} at ${at}`).toMatchObject({
          text: "Whole answer.",
          finish: "stop",
          usage: { tokensInput: 3, tokensOutput: 2 },
        })
        expect(calls).toBe(1)
      }
    },
  )

  const call = { index: 0, id: "a", type: "function", function: { name: "look", arguments: "{}" } }
  test.each([
    ["text", { content: "Whole answer." }, { text: "Whole answer." }],
    ["a tool call", { tool_calls: [call] }, { finish: "tool-calls" }],
  ])("An answer of %s with usage and [DONE] but no finish_reason is complete", async (_what, delta, expected) => {
    const frames = [completion({ delta }), { id: "c", usage: counted }].map((event) => JSON.stringify(event))
    const fetch = answering([...frames, "[DONE]"])
    const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }]
    const answer = await callModel(contextFor({ fetch }), { ...callOf("openai-compatible", "m"), tools })
    expect(answer).toMatchObject({ ...expected, usage: { tokensInput: 3, tokensOutput: 2 } })
  })
})
