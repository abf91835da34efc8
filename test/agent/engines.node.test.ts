import { type JournalEntry, LLMock } from "@copilotkit/aimock"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import { type EngineContext, type ModelCall, ModelError } from "../../src/agent/engine.ts"
import { textMessage } from "../harness/steps.ts"
import { completionChunk, providerStream } from "../harness/streams.ts"

const KEY = "canary-0123456789"
const ENGINES = ["anthropic", "openai", "openai-compatible"] as const
type Engine = (typeof ENGINES)[number]

let mock: LLMock
beforeAll(async () => {
  mock = new LLMock({ port: 0, logLevel: "silent" })
  const usage = { input_tokens: 120, output_tokens: 30, prompt_tokens: 120, completion_tokens: 30 }
  mock.addFixture({ match: { model: "answers" }, response: { content: "Your name is Ada.", usage } })
  mock.addFixture({ match: { model: "cut" }, response: { content: "Your name", finishReason: "length", usage } })
  const refusals = { busy: 429, broken: 500, overloaded: 529, unknown: 401, strict: 400 }
  for (const [model, status] of Object.entries(refusals)) {
    const message = `Refused ${KEY}, also known as sk-proj-****89ab. ${"Read the manual. ".repeat(40)}`
    mock.addFixture({ match: { model }, response: { error: { message, type: "error" }, status, retryAfter: 7 } })
  }
  const content = "never read"
  mock.addFixture({ match: { model: "garbled" }, response: { content }, chaos: { malformedRate: 1 } })
  mock.addFixture({ match: { model: "hangs-up" }, response: { content }, chaos: { disconnectRate: 1 } })
  mock.addFixture({ match: { model: "slow" }, response: { content }, chaos: { latencyMs: 30_000 } })
  await mock.start()
})
afterAll(() => mock.stop())

function contextFor(overrides: Partial<EngineContext> = {}, url = mock.url): EngineContext {
  const account = { apiKey: KEY, baseUrl: `${url}/v1` }
  return {
    fetch,
    accounts: { anthropic: account, openai: account, "openai-compatible": account },
    sleep: async () => {},
    signal: new AbortController().signal,
    loadObject: async () => null,
    onText: () => {},
    ...overrides,
  }
}

const callOf = (engine: Engine, model: string, overrides: Partial<ModelCall> = {}): ModelCall => ({
  engine,
  model,
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [],
  attempt: 0,
  ...overrides,
})

const failureOf = (context: EngineContext, call: ModelCall): Promise<unknown> =>
  callModel(context, call).then(
    () => expect.unreachable("the call was to fail"),
    (error: unknown) => error,
  )

/** The last request as the mock server parsed it, in the format of a chat completion. */
function lastRequest(): Pick<JournalEntry, "path" | "headers"> & { body: Record<string, unknown> } {
  const { path, headers, body } = mock.getLastRequest() as JournalEntry
  return { path, headers, body: body as unknown as Record<string, unknown> }
}

describe.each(ENGINES)("The engine %s", (engine) => {
  const paths = { anthropic: "/v1/messages", openai: "/v1/responses", "openai-compatible": "/v1/chat/completions" }
  const conversation: Partial<ModelCall> = {
    system: "Be kind.",
    temperature: 0.5,
    messages: [
      textMessage("user", "My name is Ada."),
      textMessage("assistant", "Hello Ada."),
      textMessage("user", "What is my name?"),
    ],
  }

  test("The engine sends instructions and history in their roles and counts tokens", async () => {
    const answer = await callModel(contextFor(), callOf(engine, "answers", conversation))
    expect(answer).toEqual({
      text: "Your name is Ada.",
      content: [expect.objectContaining({ type: "text", text: "Your name is Ada." })],
      finish: "stop",
      usage: { tokensInput: 120, tokensCached: 0, tokensOutput: 30 },
    })
    const { path, headers, body } = lastRequest()
    expect(path).toBe(paths[engine])
    expect(headers[engine === "anthropic" ? "x-api-key" : "authorization"]).toContain("[REDACTED]")
    expect(body).toMatchObject({ model: "answers", temperature: 0.5, max_tokens: 100 })
    expect(body.messages).toMatchObject([
      { role: "system", content: "Be kind." },
      { role: "user", content: "My name is Ada." },
      { role: "assistant", content: "Hello Ada." },
      { role: "user", content: "What is my name?" },
    ])
  })

  test("The engine leaves out an empty message, which a provider would reject", async () => {
    const messages: ModelCall["messages"] = [
      textMessage("user", "a"),
      textMessage("assistant", ""),
      textMessage("user", "b"),
    ]
    await callModel(contextFor(), callOf(engine, "answers", { messages }))
    const sent = lastRequest().body.messages as { role: string; content: string }[]
    expect(sent.map((message) => message.role)).not.toContain("assistant")
    expect(sent.map((message) => message.content).join("")).toBe("ab")
  })

  test.each([
    ["busy", "unavailable", 7000],
    ["broken", "unavailable", undefined],
    ["overloaded", "unavailable", undefined],
    ["garbled", "unavailable", undefined],
    ["hangs-up", "unavailable", undefined],
    ["unknown", "rejected", undefined],
    ["strict", "rejected", undefined],
  ])("A provider that is %s is reported as %s, in a short message without a key", async (model, kind, retryAfterMs) => {
    const error = await failureOf(contextFor(), callOf(engine, model))
    expect(error).toBeInstanceOf(ModelError)
    expect(error).toMatchObject({ kind, retryAfterMs, cause: undefined })
    const { message } = error as ModelError
    expect(message.length).toBeLessThanOrEqual(300)
    for (const part of [KEY, "proj", "89ab"]) expect(message).not.toContain(part)
  })

  test.each([
    { "retry-after-ms": "1500", "retry-after": "2" },
    { "retry-after": "1.5" },
    { "retry-after": "Sat, 21 Nov 2026 10:00:01 GMT", date: "Sat, 21 Nov 2026 09:59:59 GMT" },
    { "retry-after": "soon" },
  ])("The engine parses the Retry-After in %o", async (headers: Record<string, string>) => {
    const busy = async () => Response.json({ error: { message: "slow down" } }, { status: 429, headers })
    const expected = headers["retry-after"] === "soon" ? undefined : headers.date ? 2000 : 1500
    const error = await failureOf(contextFor({ fetch: busy }), callOf(engine, "m"))
    expect(error).toMatchObject({ kind: "unavailable", retryAfterMs: expected })
  })

  test("A closed port is reported as unavailable", async () => {
    const gone = await LLMock.create({ port: 0, logLevel: "silent" })
    const { url } = gone
    await gone.stop()
    expect(await failureOf(contextFor({}, url), callOf(engine, "m"))).toMatchObject({ kind: "unavailable" })
  })

  test("An abort ends a call in progress with its own reason", async () => {
    const over = new AbortController()
    const reason = new Error("the turn's time is over")
    const aborting: typeof fetch = (input, init) => {
      const answer = fetch(input, init)
      over.abort(reason)
      return answer
    }
    const error = await failureOf(contextFor({ fetch: aborting, signal: over.signal }), callOf(engine, "slow"))
    expect(error).toBe(reason)
  })

  test("A call without messages is rejected before it is sent", async () => {
    const fetch = () => expect.unreachable("no request")
    const error = await failureOf(contextFor({ fetch }), callOf(engine, "m", { messages: [] }))
    expect(error).toMatchObject({ kind: "rejected" })
  })
})

describe("The OpenAI engine", () => {
  test("A request to OpenAI disables storage", async () => {
    let body = ""
    const seen: typeof fetch = (input, init) => {
      body = String(init?.body)
      return fetch(input, init)
    }
    await callModel(contextFor({ fetch: seen }), callOf("openai", "answers"))
    expect(JSON.parse(body)).toMatchObject({ store: false })
  })

  test("OpenAI's truncated answer is reported as truncated", async () => {
    const item = { type: "message", id: "m", role: "assistant" }
    const usage = { input_tokens: 120, output_tokens: 30 }
    const response = { id: "r", created_at: 1, model: "m", usage, incomplete_details: { reason: "max_output_tokens" } }
    const events = [
      { type: "response.output_item.added", output_index: 0, item },
      { type: "response.output_text.delta", item_id: "m", delta: "Your name", logprobs: null },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.incomplete", response },
    ]
    const answer = await callModel(contextFor({ fetch: providerStream(events) }), callOf("openai", "m"))
    expect(answer).toMatchObject({ text: "Your name", finish: "length" })
  })

  test("An answer with status 200 that contains a failure is unavailable", async () => {
    const error = { code: "server_error", message: "no" }
    const response = { id: "r", created_at: 1, model: "m", status: "failed", error, output: [] }
    const context = contextFor({ fetch: providerStream([{ type: "response.failed", response }]) })
    expect(await failureOf(context, callOf("openai", "m"))).toMatchObject({ kind: "unavailable" })
  })
})

test("Invalid token counts are estimated and never billed as zero or less", async () => {
  const usage = { prompt_tokens: -5, completion_tokens: 2.4, prompt_tokens_details: { cached_tokens: 99 } }
  const context = contextFor({ fetch: providerStream([completionChunk("hello you", usage)], { named: false }) })
  const answer = await callModel(context, callOf("openai-compatible", "m"))
  expect(answer.usage).toEqual({ tokensInput: 1, tokensCached: 1, tokensOutput: 2 })
})

test.each(["anthropic", "openai"] as const)(
  "The engine %s without a base URL calls the provider, whatever the process environment says",
  async (engine) => {
    const variable = engine === "anthropic" ? "ANTHROPIC_BASE_URL" : "OPENAI_BASE_URL"
    const before = process.env[variable]
    process.env[variable] = "http://127.0.0.1:9/v1"
    try {
      let host = ""
      const seen: typeof fetch = async (input) => {
        host = new URL(String(input)).host
        return new Response("", { status: 500 })
      }
      await failureOf(contextFor({ fetch: seen, accounts: { [engine]: { apiKey: KEY } } }), callOf(engine, "m"))
      expect(host).toBe(`api.${engine}.com`)
    } finally {
      if (before === undefined) delete process.env[variable]
      else process.env[variable] = before
    }
  },
)

// The mock's Responses API does not say why an answer is incomplete. The test above covers that engine.
test.each(["anthropic", "openai-compatible"] as const)("The engine %s reports a truncated answer", async (engine) => {
  const answer = await callModel(contextFor(), callOf(engine, "cut"))
  expect(answer).toMatchObject({ text: "Your name", finish: "length" })
})
