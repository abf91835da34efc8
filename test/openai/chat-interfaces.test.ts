import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type JsonBody, readAnswer } from "../harness/answers.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/**
 * The requests of two chat interfaces, as their code makes them. Neither names an end user unless it is told to.
 * Open WebUI: backend/open_webui/routers/openai.py (004a45f) and utils/payload.py.
 * LibreChat: packages/api/src/endpoints/openai/llm.ts (00b3bc3), sent by ChatOpenAI of @librechat/agents 3.9.2.
 */
let world: World
let client: TestClient
let model: string
let keyId: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  model = await client.space({ title: "Support", manifest: { builtin_tools: [] } })
  keyId = (await readAnswer(client.call("GET", "/v1/me"))).body.key.key_id
})
afterAll(() => world.close())

const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

const PARAMETERS = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }

interface Interface {
  /** Every setting of a chat that its user can change. */
  chat: object
  /** The answer with calls, and a result, as they are sent back. */
  called(calls: JsonBody[]): object
  answered(call: JsonBody, output: string): object
  image: object
  tool: object
  title: object
}

const INTERFACES: Record<string, Interface> = {
  "Open WebUI": {
    chat: {
      stream: true,
      stream_options: { include_usage: true },
      temperature: 0.7,
      top_p: 0.9,
      min_p: 0.05,
      top_k: 40,
      max_tokens: 128,
      frequency_penalty: 0.5,
      presence_penalty: 0.5,
      reasoning_effort: "low",
      seed: 7,
      stop: ["<|end|>"],
      logit_bias: { 50256: -100 },
      response_format: { type: "text" },
    },
    called: (calls) => ({ role: "assistant", content: "", tool_calls: calls }),
    answered: ({ id }, output) => ({ role: "tool", tool_call_id: id, content: output }),
    image: { type: "image_url", image_url: { url: PNG } },
    tool: { type: "function", function: { name: "get_weather", description: "", parameters: PARAMETERS } },
    title: { stream: false, max_completion_tokens: 1000 },
  },
  LibreChat: {
    chat: {
      stream: true,
      stream_options: { include_usage: true },
      temperature: 1,
      top_p: 1,
      max_tokens: 128,
      frequency_penalty: 0,
      presence_penalty: 0,
      stop: ["STOP"],
      user: "66f0c0ffee",
      verbosity: "low",
    },
    called: (calls) => ({
      role: "assistant",
      content: "",
      tool_calls: calls.map(({ id, type, function: of }) => ({ id, type, function: of })),
    }),
    answered: ({ id }, output) => ({
      role: "tool",
      name: "get_weather",
      tool_call_id: id,
      content: [{ type: "text", text: output }],
    }),
    image: { type: "image_url", image_url: { url: PNG, detail: "auto" } },
    tool: {
      type: "function",
      function: { name: "get_weather", description: "Weather.", parameters: PARAMETERS, strict: false },
    },
    title: { n: 1, temperature: 0.2, max_tokens: 256, frequency_penalty: 0, presence_penalty: 0, stream: false },
  },
}

async function send(body: object): Promise<JsonBody[]> {
  const response = await world.untilAnswered(client.call("POST", "/v1/openai/chat/completions", { model, ...body }))
  const text = await world.untilAnswered(response.text())
  expect([response.status, text]).toEqual([200, text])
  const data = text.split("\n").filter((line) => line.startsWith("data: {"))
  return data.length > 0 ? data.map((line) => JSON.parse(line.slice("data: ".length))) : [JSON.parse(text)]
}

/** The text, the calls, the usage and the turn in the chunks of a stream, as an interface puts them together. */
function foldChunks(chunks: JsonBody[]) {
  const deltas = chunks.flatMap(({ choices }) => choices.map((choice: JsonBody) => choice.delta))
  return {
    text: deltas.map(({ content }) => content ?? "").join(""),
    calls: deltas.flatMap(({ tool_calls }) => tool_calls ?? []),
    usage: chunks.at(-1).usage,
    turn: chunks.findLast(({ turn }) => turn)?.turn,
  }
}

describe.each(Object.entries(INTERFACES))("%s", (_name, form) => {
  const endUser = () => (form.chat as { user?: string }).user ?? keyId
  const history = (text: string) => [
    { role: "system", content: "You are helpful." },
    { role: "user", content: "Hello" },
    { role: "assistant", content: "Hi there" },
    { role: "user", content: text },
  ]

  test("It lists the spaces as models", async () => {
    const { body } = await readAnswer(client.call("GET", "/v1/openai/models"))
    expect(body.data).toContainEqual(expect.objectContaining({ id: model, object: "model" }))
  })

  test("It streams a chat with all its settings, and gets the tokens in the last chunk", async () => {
    const { text, usage, turn } = foldChunks(await send({ ...form.chat, messages: history("How are you?") }))
    expect(text).toBe("You said: How are you? (after 2 earlier messages)")
    expect(usage).toMatchObject({ prompt_tokens: expect.any(Number), total_tokens: expect.any(Number) })
    expect(turn).toMatchObject({ end_user_ref: endUser(), max_output_tokens: 128 })
  })

  test("It carries out two parallel calls and sends the chat with their results", async () => {
    const asked = '[call get_weather {"city":"Bonn"}]\n[and call get_weather {"city":"Rome"}]'
    const messages: object[] = history(asked)
    const first = foldChunks(await send({ ...form.chat, messages, tools: [form.tool] }))
    expect(first.calls.map((call: JsonBody) => [call.index, call.function.arguments])).toEqual([
      [0, '{"city":"Bonn"}'],
      [1, '{"city":"Rome"}'],
    ])
    messages.push(form.called(first.calls), ...first.calls.map((call: JsonBody) => form.answered(call, "sunny")))
    const second = foldChunks(await send({ ...form.chat, messages, tools: [form.tool] }))
    expect(second.text.match(/get_weather answered: sunny/g)).toHaveLength(2)
  })

  test("It sends a picture", async () => {
    const content = [{ type: "text", text: "Look" }, form.image]
    const { text } = foldChunks(await send({ ...form.chat, messages: [{ role: "user", content }] }))
    expect(text).toBe("You said: Look (with 1 file)")
  })

  test("It asks for the title of a chat", async () => {
    const [answer] = await send({ ...form.title, messages: [{ role: "user", content: "[reply A chat]" }] })
    expect(answer.choices[0].message.content).toBe("A chat")
  })

  test("It shows the message of an error, before a stream begins and in it", async () => {
    const body = { ...form.chat, model: "spc_none", messages: history("Hello") }
    const { status, body: refused } = await readAnswer(client.call("POST", "/v1/openai/chat/completions", body))
    expect([status, refused.error.message]).toEqual([404, 'There is no space "spc_none" that you can see.'])
    const chunks = await send({ ...form.chat, messages: [{ role: "user", content: "[fail OUT_OF_STOCK]" }] })
    expect(chunks.at(-1).error).toMatchObject({ code: "TURN_FAILED", message: expect.stringContaining("OUT_OF_STOCK") })
  })
})
