import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { failureOf, readAnswer } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { losing, turnCount, turnIn } from "../harness/openai-clients.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** A picture of one pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="

let world: World
let client: TestClient
let anthropic: Anthropic
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  anthropic = anthropicOf(world, client)
  model = await client.space({ title: "Support" })
})
afterAll(() => world.close())

type Params = Anthropic.MessageCreateParamsNonStreaming
const metadata = { user_id: "customer-1" }
const send = (messages: Params["messages"], more: object = {}) =>
  anthropic.messages.create({ model, max_tokens: 1_000, metadata, messages, ...more } as Params)
const ask = (content: string, more: object = {}) => send([{ role: "user", content }], more)

const messagesOf = async (message: object) => {
  const path = `/v1/turns/${turnIn(message).turn_id}/messages`
  return (await readAnswer(client.call("GET", path))).body.messages
}

test("A message has the reply, its tokens and the bill of its turn", async () => {
  const message = await ask("[use input=100 output=20]\n[reply Hi]")
  expect(message).toMatchObject({
    type: "message",
    role: "assistant",
    model,
    content: [{ type: "text", text: "Hi" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 100, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 20 },
  })
  const turn = await client.getTurn(turnIn(message).turn_id)
  expect(message.id).toBe(turn.turn_id.replace("turn_", "msg_"))
  expect(message._request_id).toMatch(/^req_/)
  expect(turnIn(message).billed_cost_usd).toBe(turn.billed_cost_usd)
  expect(turn).toMatchObject({ end_user_ref: "customer-1", max_output_tokens: 1_000 })
})

test("A whole chat is sent as messages, with its instructions and earlier calls, and without thinking", async () => {
  const message = await send(
    [
      { role: "user", content: "Where is A-1?" },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "Hm.", signature: "s" },
          { type: "text", text: "I look." },
          { type: "tool_use", id: "toolu_1", name: "find", input: { order: "A-1" } },
          { type: "tool_use", id: "toolu_2", name: "find", input: { order: "A-2" } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "toolu_2", is_error: true, content: "No such order." },
          { type: "tool_result", tool_use_id: "toolu_1", content: [{ type: "text", text: "In Rome." }] },
          { type: "text", text: "So?", cache_control: { type: "ephemeral" } },
        ],
      },
    ],
    { system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }] },
  )
  expect(await messagesOf(message)).toEqual([
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "Where is A-1?" }] },
    {
      role: "assistant",
      content: "I look.",
      calls: [
        { id: "toolu_1", name: "find", input: { order: "A-1" } },
        { id: "toolu_2", name: "find", input: { order: "A-2" } },
      ],
    },
    { role: "tool", results: [{ id: "toolu_2", error: "No such order." }] },
    { role: "tool", results: [{ id: "toolu_1", output: "In Rome." }] },
    { role: "user", content: [{ type: "text", text: "So?" }] },
  ])
})

describe("Files", () => {
  test("An image and a document in base64 become files of the space, also those in a result", async () => {
    const image = {
      type: "image" as const,
      source: { type: "base64" as const, media_type: "image/png" as const, data: PNG },
    }
    const message = await send([
      { role: "user", content: "Draw." },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "draw", input: {} }] },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: [image] }, image] },
    ])
    const [, , result, shown] = (await messagesOf(message)) as { results?: object[]; content?: { type: string }[] }[]
    expect(result?.results).toEqual([{ id: "toolu_1", output: "[The files of this result follow.]" }])
    expect(shown?.content?.map(({ type }) => type)).toEqual(["file", "file"])
    expect(turnIn(message).files).toHaveLength(2)
  })

  test("A document of text is text, with its title and context", async () => {
    const source = { type: "text" as const, media_type: "text/plain" as const, data: "It left." }
    const message = await send([
      {
        role: "user",
        content: [
          { type: "document", source, title: "Order A-1", context: "From Rome." },
          { type: "document", source: { type: "content", content: [{ type: "text", text: "Paid." }] } },
          { type: "search_result", title: "News", source: "https://news.test", content: [{ type: "text", text: "x" }] },
        ],
      },
    ])
    const { text } = await client.getTurn(turnIn(message).turn_id)
    expect(text).toBe("Order A-1\n\nFrom Rome.\n\nIt left.\n\nPaid.\n\nNews\n\nhttps://news.test\n\nx")
  })

  test("An image at a public URL is loaded, and one at a private address is refused", async () => {
    world.serve("pictures.example.com", async () => {
      const bytes = Uint8Array.from(atob(PNG), (one) => one.charCodeAt(0))
      return new Response(bytes, { headers: { "content-type": "image/png" } })
    })
    const at = (url: string) => send([{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }])
    expect(turnIn(await at("https://pictures.example.com/a.png")).files).toHaveLength(1)
    const before = await turnCount(world, client)
    for (const url of ["http://127.0.0.1/a.png", "http://169.254.169.254/latest", "http://[::1]/"]) {
      const error = await failureOf(at(url))
      expect(error, url).toMatchObject({ status: 400, error: { error: { param: "messages.0.content.0" } } })
    }
    expect(await turnCount(world, client)).toBe(before)
  })
})

test.each([
  [{ thinking: { type: "disabled" } }, { reasoning: { effort: "none" } }],
  [{ thinking: { type: "enabled", budget_tokens: 2_000 } }, { reasoning: { effort: "low" } }],
  [{ thinking: { type: "enabled", budget_tokens: 10_000 } }, { reasoning: { effort: "medium" } }],
  [{ thinking: { type: "enabled", budget_tokens: 40_000 } }, { reasoning: { effort: "high" } }],
  [{ thinking: { type: "adaptive" } }, { reasoning: null }],
  [{ thinking: { type: "adaptive" }, output_config: { effort: "max" } }, { reasoning: { effort: "high" } }],
  [{ output_config: { effort: "low" } }, { reasoning: { effort: "low" } }],
  [
    { temperature: 0.2, stop_sequences: ["END"] },
    { temperature: 0.2, stop: ["END"] },
  ],
  [
    { stop_sequences: [], temperature: null },
    { temperature: null, stop: null },
  ],
])("A message with %j has these settings in its turn", async (more, turn) => {
  expect(await ask("Hello", more)).toMatchObject({ turn })
})

test("A reply that is cut off at an output limit, or fits a schema, says so", async () => {
  expect(await ask("[reply one two three four five six seven eight]", { max_tokens: 1 })).toMatchObject({
    stop_reason: "max_tokens",
  })
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
  const format = { type: "json_schema", schema }
  for (const more of [{ output_config: { format } }, { output_format: format }]) {
    const message = await ask("Where?", more)
    expect(message.content).toEqual([{ type: "text", text: '{"city":"text"}', citations: null }])
  }
})

describe("Who asks", () => {
  const refOf = async (more: object, headers: Record<string, string> = {}, by = client) => {
    const body = { model, max_tokens: 100, messages: [{ role: "user", content: "Hello" }], ...more }
    const answer = await readAnswer(by.call("POST", "/v1/anthropic/v1/messages", body, headers))
    return (answer.body.turn as { end_user_ref: string } | undefined)?.end_user_ref ?? answer.body
  }

  test("The header counts before metadata.user_id, and without both it is the default of the key", async () => {
    const header = { "turnpike-end-user": "customer-2" }
    expect(await refOf({ metadata })).toBe("customer-1")
    expect(await refOf({ metadata }, header)).toBe("customer-2")
    expect(await refOf({ metadata: { user_id: "x".repeat(500) } }, header)).toBe("customer-2")
    expect(await refOf({ metadata: { user_id: null } })).toMatch(/^key_/)
    expect(await refOf({ metadata: { user_id: "x".repeat(500) } })).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error", param: "metadata.user_id" },
    })
  })
})

describe("Errors", () => {
  test("They have Anthropic's form besides our fields, and the id of the request", async () => {
    const error = await failureOf(ask("Hello", { model: "no-such-space" }))
    expect(error).toMatchObject({
      status: 404,
      type: "not_found_error",
      requestID: expect.stringMatching(/^req_/),
      error: {
        type: "error",
        error: { type: "not_found_error", code: "NOT_FOUND", param: "model", retryable: false },
        request_id: expect.stringMatching(/^req_/),
      },
    })
  })

  test("A turn without a reply is TURN_FAILED, which clients do not retry", async () => {
    const { through, seen } = losing(world, 0)
    const messages = [{ role: "user" as const, content: "[fail OUT_OF_STOCK]" }]
    const failing = anthropicOf(world, client, { through }).messages.create({ model, max_tokens: 100, messages })
    expect(await failureOf(failing)).toMatchObject({
      status: 400,
      error: { error: { code: "TURN_FAILED", details: { state: "failed", reason: "OUT_OF_STOCK" } } },
    })
    expect(seen).toHaveLength(1)
  })

  test("A retry of the client after a lost answer makes no second turn", async () => {
    const { through, seen } = losing(world, 1)
    const before = await turnCount(world, client)
    const messages = [{ role: "user" as const, content: "Once" }]
    await anthropicOf(world, client, { through }).messages.create({ model, max_tokens: 100, messages })
    expect([seen.length, await turnCount(world, client)]).toEqual([2, before + 1])
  })
})

test("The list of models has the spaces that the key can see, in pages", async () => {
  const other = await world.createAccount()
  const made = await Promise.all(["One", "Two", "Three"].map((title) => other.space({ title })))
  const models = anthropicOf(world, other).models
  const all: string[] = []
  for await (const one of models.list({ limit: 2 })) all.push(one.id)
  expect([...all].sort()).toEqual(made.sort())
  const [newest, middle, oldest] = all as [string, string, string]
  expect(await models.list({ limit: 1, before_id: oldest })).toMatchObject({ first_id: middle, has_more: true })
  expect(await models.retrieve(newest)).toMatchObject({ type: "model", id: newest, display_name: expect.any(String) })
  expect(await failureOf(models.retrieve(model))).toMatchObject({ status: 404 })
  expect(await failureOf(models.list({ after_id: model }))).toMatchObject({ status: 400 })
})
