import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openAiFields } from "../../src/reference/openai-fields.ts"
import type { JsonBody } from "../harness/answers.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  model = await client.space({ manifest: { builtin_tools: [] } })
  await send("responses", { input: "Hello", conversation: "ticket-1" })
})
afterAll(() => world.close())

interface Sent {
  value: unknown
  /** The text of the user. */
  says?: string
  /** Other fields that the field needs. */
  with?: object
  /** A part of the answer, or of its turn, that shows the effect. */
  shows?: object
}

const FUNCTION = { name: "lookupOrder", parameters: { type: "object", properties: {} } }
const CALL = "[call lookupOrder]"
const SCHEMA = { name: "place", schema: { type: "object", properties: { city: { type: "string" } } } }
const PLACE = { response_format: { type: "json_schema", name: "place" } }
const message = (content: string) => [{ role: "user", content }]
const AFTER_ANOTHER = expect.stringMatching(/^You said: Hello \(after \d+ earlier messages\)$/)
const toolCall = { choices: [{ finish_reason: "tool_calls" }] }

/** Fields of both operations with the same meaning. */
const SHARED = {
  metadata: { value: { order: "A-1" }, shows: { turn: { metadata: { order: "A-1" } } } },
  moderation: { value: { model: "omni-moderation-latest" } },
  prompt_cache_key: { value: "a" },
  prompt_cache_options: { value: { mode: "explicit" } },
  prompt_cache_retention: { value: "24h" },
  safety_identifier: { value: "eve", shows: { turn: { end_user_ref: "eve" } } },
  service_tier: { value: "flex" },
  store: { value: false, shows: { turn: { store: false } } },
  temperature: { value: 0.2, shows: { turn: { temperature: 0.2 } } },
  top_logprobs: { value: 5 },
  top_p: { value: 0.5 },
} satisfies Record<string, Sent>

/** Each field of OpenAI's types: the compiler names one that is missing. */
const CHAT: Record<keyof OpenAI.ChatCompletionCreateParams, Sent> = {
  ...SHARED,
  audio: { value: { format: "mp3", voice: "alloy" } },
  frequency_penalty: { value: 1 },
  function_call: { value: "auto" },
  functions: { value: [FUNCTION] },
  logit_bias: { value: { 50256: -100 } },
  logprobs: { value: true },
  max_completion_tokens: { value: 50, shows: { turn: { max_output_tokens: 50 } } },
  max_tokens: { value: 40, shows: { turn: { max_output_tokens: 40 } } },
  messages: { value: message("Bye"), shows: { choices: [{ message: { content: "You said: Bye" } }] } },
  modalities: { value: ["text", "audio"] },
  model: { value: "spc_none", shows: { error: { code: "NOT_FOUND", param: "model" } } },
  n: { value: 2 },
  parallel_tool_calls: {
    value: false,
    says: `${CALL}\n[and call lookupOrder]`,
    with: { tools: [{ type: "function", function: FUNCTION }] },
    shows: { choices: [{ message: { tool_calls: [{}] } }] },
  },
  prediction: { value: { type: "content", content: "Hello" } },
  presence_penalty: { value: 1 },
  reasoning_effort: { value: "xhigh", shows: { turn: { reasoning: { effort: "high" } } } },
  response_format: { value: { type: "json_schema", json_schema: SCHEMA }, shows: { turn: PLACE } },
  seed: { value: 7 },
  stop: { value: "lo", shows: { choices: [{ message: { content: "You said: Hel" } }] } },
  stream: { value: true, shows: { object: "chat.completion.chunk" } },
  stream_options: {
    value: { include_usage: true },
    with: { stream: true },
    shows: { usage: { prompt_tokens: expect.any(Number) } },
  },
  tool_choice: {
    value: "none",
    says: CALL,
    with: { tools: [{ type: "function", function: FUNCTION }] },
    shows: { choices: [{ finish_reason: "stop" }] },
  },
  tools: { value: [{ type: "function", function: FUNCTION }], says: CALL, shows: toolCall },
  user: { value: "eve", shows: { turn: { end_user_ref: "eve" } } },
  verbosity: { value: "low" },
  web_search_options: { value: {} },
}

const TOOL = { type: "function", ...FUNCTION }

const RESPONSES: Record<keyof OpenAI.Responses.ResponseCreateParams, Sent> = {
  ...SHARED,
  access_programs: { value: { cyber: "standard" } },
  background: { value: true, shows: { status: "queued" } },
  context_management: { value: [{ type: "compaction" }] },
  conversation: { value: { id: "ticket-1" }, shows: { turn: { result: AFTER_ANOTHER } } },
  image: { value: { context_compression: "auto" } },
  include: { value: ["reasoning.encrypted_content"] },
  input: { value: "Bye", shows: { output: [{ content: [{ text: "You said: Bye" }] }] } },
  instructions: { value: "Be brief.", shows: { instructions: "Be brief." } },
  max_output_tokens: { value: 50, shows: { turn: { max_output_tokens: 50 } } },
  max_tool_calls: { value: 1 },
  model: { value: "spc_none", shows: { error: { code: "NOT_FOUND", param: "model" } } },
  parallel_tool_calls: {
    value: false,
    says: `${CALL}\n[and call lookupOrder]`,
    with: { tools: [TOOL] },
    shows: { output: [{ type: "function_call" }] },
  },
  previous_response_id: { value: "resp_none", shows: { error: { code: "NOT_FOUND", param: "previous_response_id" } } },
  prompt: { value: { id: "pmpt_1" } },
  reasoning: { value: { effort: "low" }, shows: { turn: { reasoning: { effort: "low" } } } },
  stream: { value: true, shows: { type: "response.completed" } },
  stream_options: { value: { include_obfuscation: false } },
  text: { value: { format: { type: "json_schema", ...SCHEMA } }, shows: { turn: PLACE } },
  tool_choice: { value: "none", says: CALL, with: { tools: [TOOL] }, shows: { output: [{ type: "message" }] } },
  tools: { value: [TOOL], says: CALL, shows: { output: [{ type: "function_call" }] } },
  truncation: { value: "auto" },
  user: { value: "eve", shows: { turn: { end_user_ref: "eve" } } },
}

/** Fields that OpenAI does not have. */
const OURS: Record<string, Sent> = {
  conversation: { value: "ticket-1", shows: { turn: { result: AFTER_ANOTHER } } },
  max_cost_usd: { value: 0.1, shows: { turn: { max_cost_usd: 0.1 } } },
  min_p: { value: 0.1 },
  timeout_seconds: { value: 1, says: "[think 60000 ms]", shows: { turn: { state: "failed" } } },
  top_k: { value: 40 },
}

const OPERATIONS = [
  ["chat", "chat/completions", { ...OURS, ...CHAT }, (text: string) => ({ messages: message(text) })],
  [
    "responses",
    "responses",
    { ...without(OURS, ["min_p", "top_k"]), ...RESPONSES },
    (text: string) => ({ input: text }),
  ],
] as const

function without(fields: Record<string, Sent>, names: string[]): Record<string, Sent> {
  return Object.fromEntries(Object.entries(fields).filter(([field]) => !names.includes(field)))
}

interface Answered {
  status: number
  /** The answer, or the last message of a stream. Its turn is read again. */
  answer: JsonBody
}

async function send(path: string, body: object): Promise<Answered> {
  const headers = { "idempotency-key": crypto.randomUUID() }
  const sent = { model, user: "ada", ...body }
  const response = await world.untilAnswered(client.call("POST", `/v1/openai/${path}`, sent, headers))
  const text = await world.untilAnswered(response.text())
  const messages = text.split("\n").filter((line) => line.startsWith("data: {"))
  const answer = JSON.parse(messages.at(-1)?.slice("data: ".length) ?? text)
  const turnId = answer.turn?.turn_id ?? answer.error?.details?.turn_id
  if (turnId) answer.turn = await client.getTurn(turnId)
  return { status: response.status, answer }
}

/** A turn without all that differs between equal turns. */
const comparable = ({ answer }: Answered) =>
  Object.entries(answer.turn).filter(([field]) => !/_id$|_at$|^conversation$|^trace|^position$/.test(field))

describe.each(OPERATIONS)("The operation %s", (operation, path, fields, saying) => {
  const table = openAiFields(operation)

  test("The table has each field of OpenAI's request", () => {
    expect(table.map(({ field }) => field)).toEqual(Object.keys(fields).toSorted((a, b) => a.localeCompare(b, "en")))
  })

  test.each(table)("It treats $field as the table says: $treatment", async ({ field, treatment, text }) => {
    const { value, says = "Hello", with: more, shows } = fields[field as keyof typeof fields] as Sent
    const plain = { ...saying(says), ...more }
    const sent = await send(path, { ...plain, [field]: value })
    if (treatment === "refused") {
      const { message, param } = sent.answer.error
      expect([sent.status, param.split(".")[0]]).toEqual([400, field])
      expect(text.toLowerCase()).toContain(message.slice(message.indexOf(": ") + 2).toLowerCase())
    } else if (treatment === "ignored") {
      expect(shows).toBeUndefined()
      expect(comparable(sent)).toEqual(comparable(await send(path, plain)))
    } else {
      expect(shows).toBeDefined()
      expect(sent.answer).toMatchObject(shows as object)
      const { answer } = await send(path, plain)
      expect(answer).not.toMatchObject(shows as object)
    }
  })
})
