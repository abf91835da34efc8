import type { LanguageModelV4Prompt, LanguageModelV4StreamPart } from "@ai-sdk/provider"
import { convertReadableStreamToArray } from "ai/test"
import { expect, test } from "vitest"
import { FailedCalls } from "../../ai-sdk/src/failed-calls.ts"
import { createTurnpike } from "../../ai-sdk/src/index.ts"

const TURN = {
  turn_id: "turn_1",
  conversation: "conv_1",
  state: "done",
  finish: "stop",
  result: "",
  calls: [],
  outputs: [],
  warnings: [],
  error: null,
  status_reason: null,
  truncated: false,
  model: "rehearsal/standard",
  billed_cost_usd: 0.0000046,
  end_user_charge_usd: 0.01,
  created_at: "2026-01-15T09:30:00Z",
  usage: { model_calls: 1, tool_calls: 0, tokens_input: 10, tokens_cached: 4, tokens_output: 7, tokens_reasoning: 2 },
}

interface Sent {
  url: string
  headers: Record<string, string>
  body: Record<string, unknown>
}

/** A service whose turns have these events and this end. `sent` are the requests that create turns. */
function serve(turn: Partial<Record<keyof typeof TURN, unknown>> = {}, events: [type: string, data?: object][] = []) {
  const sent: Sent[] = []
  const fetch = async (url: string, init: RequestInit) => {
    if (init.method !== "POST") return Response.json({ ...TURN, ...turn })
    sent.push({ url, headers: init.headers as Record<string, string>, body: JSON.parse(String(init.body)) })
    const all: [string, object?][] = [["turn.running"], ...events, ["turn.done"]]
    const lines = all.map(([type, data = {}], at) => {
      const event = { id: `evt_${at}`, seq: at + 1, type, data, created_at: TURN.created_at }
      return `id: ${at + 1}\nevent: ${type}\ndata: ${JSON.stringify(event)}\n\n`
    })
    const headers = { "content-type": "text/event-stream", location: "/v1/turns/turn_1" }
    return new Response(lines.join(""), { headers })
  }
  const model = createTurnpike({ apiKey: "x", baseURL: "https://api.test", fetch })("spc_1", { endUser: "ada" })
  return { model, sent, first: () => sent[0] as Sent }
}

const text = (value: string) => [{ type: "text" as const, text: value }]
const PROMPT: LanguageModelV4Prompt = [{ role: "user", content: text("Hello") }]

async function partsOf(...served: Parameters<typeof serve>): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await serve(...served).model.doStream({ prompt: PROMPT })
  return convertReadableStreamToArray(stream)
}

test("Every kind of part of a prompt becomes a part of a message", async () => {
  const { model, first } = serve()
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        ...text("Look."),
        {
          type: "file",
          mediaType: "image/png",
          filename: "a.png",
          data: { type: "data", data: new Uint8Array([1, 2]) },
        },
        { type: "file", mediaType: "image/*", data: { type: "data", data: "AQI=" } },
        { type: "file", mediaType: "application/pdf", data: { type: "url", url: new URL("https://a.test/b.pdf") } },
        { type: "file", mediaType: "text/plain", data: { type: "reference", reference: { turnpike: "file_1" } } },
        { type: "file", mediaType: "text/plain", data: { type: "text", text: "é" } },
      ],
    },
    {
      role: "assistant",
      content: [
        { type: "reasoning", text: "Hm." },
        ...text("Let me look."),
        { type: "tool-call", toolCallId: "1", toolName: "find", input: { id: "A" } },
        { type: "tool-call", toolCallId: "2", toolName: "search", input: {}, providerExecuted: true },
      ],
    },
    {
      role: "tool",
      content: [
        { type: "tool-result", toolCallId: "1", toolName: "find", output: { type: "json", value: { ok: true } } },
        { type: "tool-result", toolCallId: "3", toolName: "find", output: { type: "error-text", value: "lost" } },
        { type: "tool-result", toolCallId: "4", toolName: "find", output: { type: "error-json", value: [1] } },
        { type: "tool-result", toolCallId: "5", toolName: "find", output: { type: "execution-denied" } },
        {
          type: "tool-result",
          toolCallId: "6",
          toolName: "find",
          output: {
            type: "content",
            value: [
              { type: "text", text: "a" },
              { type: "file", mediaType: "image/png", data: { type: "data", data: "AQI=" } },
            ],
          },
        },
      ],
    },
    { role: "user", content: text("And?") },
  ]
  await model.doGenerate({ prompt })
  expect(first().body.messages).toEqual([
    { role: "system", content: "Be brief." },
    {
      role: "user",
      content: [
        { type: "text", text: "Look." },
        { type: "file", data: "AQI=", media_type: "image/png", name: "a.png" },
        { type: "file", data: "AQI=" },
        { type: "file", url: "https://a.test/b.pdf" },
        { type: "file", file_id: "file_1" },
        { type: "file", data: "w6k=", media_type: "text/plain" },
      ],
    },
    { role: "assistant", content: "Let me look.", calls: [{ id: "1", name: "find", input: { id: "A" } }] },
    {
      role: "tool",
      results: [
        { id: "1", output: '{"ok":true}' },
        { id: "3", error: "lost" },
        { id: "4", error: "[1]" },
        { id: "5", error: "The call was denied." },
        { id: "6", output: "a\n[image/png]" },
      ],
    },
    { role: "user", content: "And?" },
  ])
})

test("Tools, a choice, a form and headers reach the turn, and what no turn can honour is a warning", async () => {
  const { model, sent, first } = serve()
  const schema = { type: "object" as const, properties: {} }
  const { warnings } = await model.doGenerate({
    prompt: PROMPT,
    tools: [
      { type: "function", name: "find", description: "Finds.", inputSchema: schema },
      { type: "provider", id: "openai.web_search", name: "web_search", args: {} },
    ],
    toolChoice: { type: "tool", toolName: "find" },
    responseFormat: { type: "json", schema, name: "place" },
    reasoning: "minimal",
    topP: 0.5,
    seed: 1,
    headers: { Traceparent: "00-1", Authorization: "Bearer another", absent: undefined },
  })
  expect(first().body).toMatchObject({
    space: "spc_1",
    end_user_ref: "ada",
    tools: [{ name: "find", description: "Finds.", input_schema: schema }],
    tool_choice: { name: "find" },
    response_format: { type: "json_schema", name: "place", schema },
    reasoning: { effort: "low" },
  })
  expect(first().headers).toMatchObject({ traceparent: "00-1", authorization: "Bearer x" })
  expect(warnings.map((one) => ("feature" in one ? one.feature : one))).toEqual([
    "topP",
    "seed",
    "reasoning",
    "the tool openai.web_search",
  ])
  await model.doGenerate({ prompt: PROMPT, responseFormat: { type: "json" } })
  expect(sent[1]?.body.response_format).toEqual({ type: "json_object" })
})

test("A stream has a part of text for each step of the own agent, and one more if a step starts again", async () => {
  const parts = await partsOf({ result: "Here it is." }, [
    ["step.started", { step: 0 }],
    ["text.delta", { step: 0, text: "Let me " }],
    ["text.delta", { step: 0, text: "look." }],
    ["text.delta", { step: 0, text: "I am a helper.", agent: "helper" }],
    ["step.started", { step: 1 }],
    ["text.delta", { step: 1, text: "Here is" }],
    ["step.started", { step: 1 }],
    ["text.delta", { step: 1, text: "" }],
    ["text.delta", { step: 1, text: "Here it" }],
  ])
  const deltas = parts.filter((part) => part.type === "text-delta").map(({ id, delta }) => [id, delta])
  expect(deltas).toEqual([
    ["0", "Let me "],
    ["0", "look."],
    ["1", "Here is"],
    ["2", "Here it"],
    ["2", " is."],
  ])
  expect(parts.filter(({ type }) => type !== "text-delta")).toMatchObject([
    { type: "stream-start", warnings: [] },
    { type: "text-start", id: "0" },
    { type: "text-end", id: "0" },
    { type: "text-start", id: "1" },
    { type: "text-end", id: "1" },
    { type: "text-start", id: "2" },
    { type: "response-metadata", id: "turn_1", modelId: "rehearsal/standard" },
    { type: "text-end", id: "2" },
    {
      type: "finish",
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 10, noCache: 6, cacheRead: 4 },
        outputTokens: { total: 7, text: 5, reasoning: 2 },
      },
      providerMetadata: { turnpike: { turnId: "turn_1", costUsd: 0.0000046, endUserChargeUsd: 0.01 } },
    },
  ])
})

test.each([
  ["done", { truncated: true }, "length"],
  ["done", { finish: "tool_calls", calls: [{ id: "1", name: "find", input: {} }] }, "tool-calls"],
  ["failed", { error: { code: "MODEL_REFUSED", message: "no", details: null } }, "content-filter"],
  ["failed", { error: { code: "OUT_OF_STOCK", message: "no", details: null } }, "error"],
])("A turn that is %s with %j finishes as %s", async (state, more, unified) => {
  const parts = await partsOf({ state, ...more })
  expect(parts.at(-1)).toMatchObject({ type: "finish", finishReason: { unified } })
  expect(parts.some(({ type }) => type === "error")).toBe(unified === "error")
})

test.each([
  ["MODEL_UNAVAILABLE", 0, true],
  ["MODEL_UNAVAILABLE", 0.1, false],
  ["ENGINE_LOST", 0, true],
  ["TIMEOUT_REACHED", 0, false],
])("A turn that failed with %s and a bill of %d can be retried: %s", async (code, billed_cost_usd, isRetryable) => {
  const { model } = serve({ state: "failed", error: { code, message: "no", details: null }, billed_cost_usd })
  await expect(model.doGenerate({ prompt: PROMPT })).rejects.toMatchObject({ isRetryable, data: { code } })
})

test("The key of a failed call is given to the next equal call, once, and for ten minutes", () => {
  let now = 0
  const failed = new FailedCalls(() => now)
  failed.put("a", "key-1")
  failed.put("b", "key-2")
  expect([failed.take("a"), failed.take("a"), failed.take("b")]).toEqual(["key-1", undefined, "key-2"])
  for (let n = 0; n < 1_001; n++) failed.put(String(n), "key")
  expect([failed.take("0"), failed.take("1")]).toEqual([undefined, "key"])
  failed.put("late", "key-3")
  now += 10 * 60_000
  expect([failed.take("late"), failed.take("2")]).toEqual([undefined, undefined])
})

test("Two equal calls that succeed are two turns", async () => {
  const { model, sent } = serve()
  await model.doGenerate({ prompt: PROMPT })
  await model.doGenerate({ prompt: PROMPT })
  const keys = sent.map(({ headers }) => headers["idempotency-key"])
  expect(new Set(keys).size).toBe(2)
})
