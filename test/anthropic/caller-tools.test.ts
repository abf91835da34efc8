import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { turnCount, turnIn } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let anthropic: Anthropic
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  anthropic = anthropicOf(world, client)
  model = await client.space({ manifest: { builtin_tools: [] } })
})
afterAll(() => world.close())

const INPUT = {
  $schema: "http://json-schema.org/draft-07/schema#",
  type: "object" as const,
  properties: { id: { type: "string" } },
  required: ["id"],
  additionalProperties: false,
}
const TOOL: Anthropic.Tool = { name: "lookupOrder", description: "Finds an order.", input_schema: INPUT, strict: true }
/** Two calls in the first answer, one in the second, then the reply. */
const ASKED = `[call lookupOrder {"id":"A-1"}]
[and call lookupOrder {"id":"A-2"}]
[call lookupOrder {"id":"A-3"}]
[reply All left.]`

const send = (messages: Anthropic.MessageParam[], more: object = {}) =>
  anthropic.messages.create({
    model,
    max_tokens: 1_000,
    messages,
    tools: [TOOL],
    ...more,
  } as never) as Promise<Anthropic.Message>

test.each([
  ["whole", (messages: Anthropic.MessageParam[]) => send(messages)],
  [
    "streamed",
    (messages: Anthropic.MessageParam[]) =>
      anthropic.messages.stream({ model, max_tokens: 1_000, messages, tools: [TOOL] }).finalMessage(),
  ],
])("The caller's tools are called over three rounds of a chat, %s, and each round has its bill", async (_name, ask) => {
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: ASKED }]
  const before = await turnCount(world, client)
  const rounds: unknown[][] = []
  for (;;) {
    const { role, content, stop_reason } = await ask(messages)
    messages.push({ role, content })
    const calls = content.filter((block) => block.type === "tool_use")
    expect(stop_reason).toBe(calls.length > 0 ? "tool_use" : "end_turn")
    if (calls.length === 0) break
    rounds.push(calls.map(({ name, input }) => [name, input]))
    messages.push({
      role: "user",
      content: calls.toReversed().map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: `Found ${id}.` })),
    })
  }
  expect(rounds).toEqual([
    [
      ["lookupOrder", { id: "A-1" }],
      ["lookupOrder", { id: "A-2" }],
    ],
    [["lookupOrder", { id: "A-3" }]],
  ])
  expect(messages.at(-1)).toMatchObject({ content: [{ type: "text", text: "All left." }] })
  expect(await turnCount(world, client)).toBe(before + 3)
  await expectPromises(world, client.userId)
})

test("A choice of tools reaches the turn", async () => {
  const asked: Anthropic.MessageParam[] = [{ role: "user", content: '[call lookupOrder {"id":"A-1"}]\n[reply Done.]' }]
  const none = await send(asked, { tool_choice: { type: "none" } })
  expect(none.stop_reason).toBe("end_turn")
  for (const tool_choice of [
    { type: "any", disable_parallel_tool_use: true },
    { type: "tool", name: "lookupOrder" },
    { type: "auto" },
  ]) {
    expect((await send(asked, { tool_choice })).stop_reason).toBe("tool_use")
  }
  expect(turnIn(none)).toMatchObject({ finish: "stop" })
})

test.each([
  [{ tools: [{ type: "web_search_20250305", name: "web_search" }] }, "tools.0.type"],
  [{ tools: [{ type: "bash_20250124", name: "bash" }] }, "tools.0.type"],
  [{ tools: [{ ...TOOL, name: "delegate" }] }, "tools.0.name"],
  [{ tools: [{ ...TOOL, name: "read_file" }] }, "tools.0.name"],
  [{ tools: [{ ...TOOL, input_schema: { type: "string" } }] }, "tools.0.input_schema"],
  [{ tools: [TOOL, TOOL] }, "tools.1.name"],
  [{ tools: Array.from({ length: 1_000 }, (_, nth) => ({ ...TOOL, name: `t${nth}` })) }, "tools"],
  [{ tool_choice: { type: "tool", name: "other" } }, "tool_choice.name"],
  [{ tool_choice: { type: "tool" } }, "tool_choice.name"],
  [{ tool_choice: { type: "auto", name: "lookupOrder" } }, "tool_choice.name"],
  [{ messages: [{ role: "owner", content: "Hello" }] }, "messages.0.role"],
  [{ messages: [{ role: "user", content: [{ type: "video", source: {} }] }] }, "messages.0.content.0.type"],
  [
    { messages: [{ role: "user", content: [{ type: "tool_use", id: "t", name: "x", input: {} }] }] },
    "messages.0.content.0",
  ],
  [{ messages: [{ role: "assistant", content: [{ type: "tool_result", tool_use_id: "t" }] }] }, "messages.0.content"],
  [{ messages: [{ role: "user", content: [{ type: "tool_result", tool_use_id: "foreign" }] }] }, "messages"],
  [{ messages: [{ role: "user", content: " " }] }, "messages"],
  [
    {
      messages: [
        { role: "user", content: "Hi" },
        { role: "assistant", content: "It is" },
      ],
    },
    "messages",
  ],
  [{ messages: [{ role: "user", content: "x".repeat(3 * 1024 * 1024) }] }, "messages"],
  [{ messages: [] }, "messages"],
  [{ max_tokens: 0 }, "max_tokens"],
  [{ max_tokens: 1_000_000 }, "max_tokens"],
  [{ stop_sequences: ["a", "b", "c", "d", "e"] }, "stop_sequences"],
  [{ system: [{ type: "image" }] }, "system.0.type"],
  [{ unknown: 1 }, "unknown"],
] as [Record<string, unknown>, string][])(
  "A hostile request is refused with its place, and sends no turn: %#",
  async (more, param) => {
    const before = await turnCount(world, client)
    const messages = [{ role: "user", content: "Hello" }]
    const body = { model, max_tokens: 1_000, messages, tools: [TOOL], ...more }
    const error = await readAnswer(world.untilAnswered(client.call("POST", "/v1/anthropic/v1/messages", body)))
    expect(error).toMatchObject({
      status: 400,
      body: { type: "error", error: { type: "invalid_request_error", code: "VALIDATION_FAILED", param } },
    })
    expect(await turnCount(world, client)).toBe(before)
  },
)
