import { expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { AssistantPart, FormChange, Message, ModelCall } from "../../src/agent/engine.ts"
import { chunk, counts, ends, messageStart, said, usage } from "../harness/recorded.ts"
import { bytesOfFrames, replayedCall } from "../harness/replay.ts"
import { textMessage } from "../harness/steps.ts"

type Engine = "anthropic" | "openai" | "openai-compatible"
type Body = Record<string, unknown> & { messages?: { content: unknown }[]; input?: { type?: string }[] }

const FRAMES = {
  anthropic: [messageStart({ input_tokens: 9 }), ...said(0, "Fine."), ...ends("end_turn", { output_tokens: 2 })],
  openai: [
    {
      object: "response",
      status: "completed",
      output: [{ type: "message", id: "m", content: [{ type: "output_text", text: "Fine.", annotations: [] }] }],
      usage: { input_tokens: 9, output_tokens: 2 },
    },
  ],
  "openai-compatible": [chunk({ content: "Fine." }), chunk({}, "stop"), counts(usage(9, 2)), "[DONE]"],
}

/** Makes a call at a server that refuses bodies as `refuses` says. Returns the bodies and what was told. */
async function ask(engine: Engine, more: Partial<ModelCall>, refuses: (body: Body) => string | null = () => null) {
  const bodies: Body[] = []
  const texts: string[] = []
  const leftOut: string[] = []
  const changes: FormChange[] = []
  const answer = await callModel(
    {
      fetch: async (_url, init) => {
        const body = JSON.parse(String(init?.body)) as Body
        bodies.push(body)
        texts.push(String(init?.body))
        const message = refuses(body)
        if (message !== null)
          return Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 })
        return new Response(bytesOfFrames({ engine, frames: FRAMES[engine] }))
      },
      accounts: { [engine]: { apiKey: "k", baseUrl: "https://reasons.test/v1" } },
      sleep: async () => {},
      signal: new AbortController().signal,
      loadObject: async () => null,
      onText: () => {},
      onLeftOut: (setting) => leftOut.push(setting),
      onRefused: (_error, change) => changes.push(change),
    },
    replayedCall(engine, { maxOutputTokens: 10_000, ...more }),
  )
  expect(answer.text).toBe("Fine.")
  return { bodies, texts, body: bodies.at(-1) as Body, leftOut, changes }
}

const BUDGETED = "claude-sonnet-4-5"

test.each([
  ["low", 10_000, 2_000],
  ["medium", 10_000, 5_000],
  ["high", 10_000, 8_000],
  ["low", 3_000, 1_024],
  ["high", 3_000, 1_976],
  ["high", 2_048, 1_024],
] as const)(
  "Anthropic's budget of %s is a part of %i output tokens: %i",
  async (reasoning, maxOutputTokens, budget) => {
    const { body, leftOut } = await ask("anthropic", { model: BUDGETED, reasoning, maxOutputTokens })
    expect(body).toMatchObject({
      max_tokens: maxOutputTokens,
      thinking: { type: "enabled", budget_tokens: budget },
    })
    expect(leftOut).toEqual([])
  },
)

test("An output limit below two least budgets leaves out the reasoning and keeps the temperature", async () => {
  const { body, leftOut } = await ask("anthropic", {
    model: BUDGETED,
    reasoning: "high",
    maxOutputTokens: 2_047,
    temperature: 0.3,
  })
  expect(body).toMatchObject({ max_tokens: 2_047, temperature: 0.3 })
  expect(body).not.toHaveProperty("thinking")
  expect(leftOut).toContain("reasoning")
})

test("A temperature that the model cannot have while it reasons is left out and told", async () => {
  const { body, leftOut } = await ask("anthropic", { model: BUDGETED, reasoning: "low", temperature: 0.3 })
  expect(body).not.toHaveProperty("temperature")
  expect(leftOut).toEqual(["temperature"])
})

test("Newer models of Anthropic get the effort and decide themselves, within the same output limit", async () => {
  const { body } = await ask("anthropic", { model: "claude-opus-4-6", reasoning: "medium" })
  expect(body).toMatchObject({
    max_tokens: 10_000,
    thinking: { type: "adaptive" },
    output_config: { effort: "medium" },
  })
})

test("No reasoning is asked of each engine in its own form", async () => {
  const bodies = [
    await ask("anthropic", { model: BUDGETED, reasoning: "none" }),
    await ask("openai", { model: "gpt-5.1", reasoning: "none" }),
    await ask("openai-compatible", { reasoning: "none" }),
  ].map(({ body }) => body)
  expect(bodies).toMatchObject([
    { thinking: { type: "disabled" } },
    { reasoning: { effort: "none" } },
    { reasoning_effort: "none" },
  ])
})

test("Without an effort, a request says nothing about reasoning", async () => {
  const texts = await Promise.all(
    (["anthropic", "openai", "openai-compatible"] as const).map(async (engine) =>
      JSON.stringify((await ask(engine, {})).bodies),
    ),
  )
  for (const text of texts) expect(text).not.toMatch(/reasoning|thinking|effort/)
})

test("OpenAI gets the effort, returns encrypted reasoning and writes no summary, also for an unknown model", async () => {
  for (const model of ["gpt-5", "o4-mini", "house-model"]) {
    const { body } = await ask("openai", { model, reasoning: "low" })
    expect(body, model).toMatchObject({ max_output_tokens: 10_000, store: false })
    expect(body.reasoning, model).toEqual({ effort: "low" })
    expect(body.include, model).toEqual(["reasoning.encrypted_content"])
  }
})

const REFUSALS: [engine: Engine, message: string, refuses: (body: Body) => boolean][] = [
  [
    "openai",
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
    ({ reasoning }) => !!reasoning,
  ],
  ["openai", "Encrypted content is not supported with this model.", ({ include }) => !!include],
  [
    "openai-compatible",
    "Unrecognized request argument supplied: reasoning_effort",
    (body) => "reasoning_effort" in body,
  ],
  ["openai-compatible", '"llama3" does not support thinking', (body) => "reasoning_effort" in body],
  ["openai-compatible", "reasoning_effort: Extra inputs are not permitted", (body) => "reasoning_effort" in body],
  ["anthropic", "thinking: Extra inputs are not permitted", ({ thinking }) => !!thinking],
  ["anthropic", "adaptive thinking is not supported on this model", ({ thinking }) => !!thinking],
]

test.each(REFUSALS)(
  "A model of %s that says '%s' answers without, and is not asked again",
  async (engine, message, no) => {
    const { bodies, changes } = await ask(engine, { reasoning: "low" }, (body) => (no(body) ? message : null))
    expect(bodies).toHaveLength(2)
    expect(changes).toEqual([{ without: "reasoning", isOnce: false }])
  },
)

test("A refused value of the effort is left out of its call alone", async () => {
  const message = "reasoning_effort: value must be one of 'low', 'high'"
  const { changes } = await ask("openai-compatible", { reasoning: "medium" }, (body) =>
    "reasoning_effort" in body ? message : null,
  )
  expect(changes).toEqual([{ without: "reasoning", isOnce: true }])
})

const call: AssistantPart = { type: "tool-call", toolCallId: "c1", toolName: "look", input: { id: 1 } }
const result: Message = {
  role: "tool",
  content: [{ toolCallId: "c1", toolName: "look", output: { type: "text", value: "found" } }],
}
const afterStep = (...content: AssistantPart[]): Message[] => [
  textMessage("user", "earlier"),
  textMessage("assistant", "an answer without reasoning"),
  textMessage("user", "look"),
  { role: "assistant", content },
  result,
]
const signed = (engine: string, options: Record<string, string>): AssistantPart => ({
  type: "reasoning",
  text: "I think.",
  providerOptions: { [engine]: options },
})

test("Signed reasoning of an earlier step goes back to Anthropic, and a redacted one too", async () => {
  const parts = [signed("anthropic", { signature: "sig-1" }), signed("anthropic", { redactedData: "red-1" }), call]
  const { body } = await ask("anthropic", { model: BUDGETED, reasoning: "low", messages: afterStep(...parts) })
  expect(body.thinking).toMatchObject({ type: "enabled" })
  expect(body.messages?.[3]?.content).toMatchObject([
    { type: "thinking", thinking: "I think.", signature: "sig-1" },
    { type: "redacted_thinking", data: "red-1" },
    { type: "tool_use" },
  ])
})

test("A step that began without reasoning is continued without it by models with a budget", async () => {
  const messages = afterStep(call)
  const { body, leftOut } = await ask("anthropic", { model: BUDGETED, reasoning: "low", messages })
  expect(body).not.toHaveProperty("thinking")
  expect(leftOut).toContain("reasoning")
  // Models that decide themselves may begin to reason.
  const adaptive = await ask("anthropic", { model: "claude-opus-4-6", reasoning: "low", messages })
  expect(adaptive.body.thinking).toMatchObject({ type: "adaptive" })
  // A cut answer is continued by a message of its own.
  const cut: Message[] = [textMessage("user", "look"), { ...textMessage("assistant", "I"), asks: "cut" } as Message]
  expect((await ask("anthropic", { model: BUDGETED, reasoning: "low", messages: cut })).body.thinking).toBeDefined()
})

test("Encrypted reasoning of an earlier step goes back to OpenAI", async () => {
  const part = signed("openai", { itemId: "rs_1", reasoningEncryptedContent: "enc-1" })
  const { body } = await ask("openai", { model: "gpt-5", reasoning: "low", messages: afterStep(part, call) })
  expect(body.input?.find(({ type }) => type === "reasoning")).toMatchObject({ encrypted_content: "enc-1" })
})

test.each([
  ["anthropic", { signature: "sig-1" }, "messages.3.content.0: Invalid `signature` in `thinking` block", /sig-1/],
  [
    "openai",
    { itemId: "rs_1", reasoningEncryptedContent: "enc-1" },
    "The encrypted content enc… could not be verified.",
    /enc-1/,
  ],
] as const)(
  "Reasoning that another account of %s has signed is left out after a refusal",
  async (engine, options, message, secret) => {
    const model = engine === "openai" ? "gpt-5" : BUDGETED
    const { bodies, changes } = await ask(
      engine,
      { model, reasoning: "low", messages: afterStep(signed(engine, options), call) },
      (body) => (secret.test(JSON.stringify(body)) ? message : null),
    )
    expect(bodies).toHaveLength(2)
    expect(JSON.stringify(bodies[1])).not.toMatch(secret)
    expect(changes).toEqual([{ without: "reasoning", isOnce: true }])
  },
)

test("The numbers of earlier calls keep their digits in a request with a budget", async () => {
  const big: AssistantPart = { ...call, written: '{"id":12345678901234567890}' } as AssistantPart
  const messages = afterStep(signed("anthropic", { signature: "s" }), big)
  const { texts } = await ask("anthropic", { model: BUDGETED, reasoning: "low", messages })
  expect(texts[0]).toContain("12345678901234567890")
})
