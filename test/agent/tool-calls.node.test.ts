import { describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import { callInput, callsOf, type Message } from "../../src/agent/engine.ts"
import { asDoubles, changedNumber, parseExact } from "../../src/base/exact-json.ts"

const LONG = "12345678901234567890"
const events = (all: (object | string)[]) => {
  const lines = all.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`)
  return new Response(lines.join(""), { headers: { "content-type": "text/event-stream" } })
}

/** A stream in each format in which the model calls `t` with this text as its arguments. */
const streams = {
  "openai-compatible": (text: string, id: unknown = "c1", whole?: string) => {
    const calls = [{ index: 0, id, type: "function", function: { name: "t", arguments: text } }]
    const first = JSON.stringify({ id: "x", choices: [{ index: 0, delta: { role: "assistant", tool_calls: calls } }] })
    const last = { choices: [{ index: 0, delta: {}, finish_reason: "tool_calls" }] }
    return [whole ? first.replace(JSON.stringify(text), whole) : first, last, "[DONE]"]
  },
  anthropic: (text: string) => [
    { type: "message_start", message: { id: "m", model: "m", role: "assistant", usage: { input_tokens: 9 } } },
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "c1", name: "t", input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: text } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ],
}
type Engine = keyof typeof streams

async function called(
  engine: Engine,
  all: (object | string)[],
  { messages, tool = "t" }: { messages?: Message[]; tool?: string } = {},
) {
  const account = { apiKey: "k", baseUrl: "https://models.example.com/v1" }
  let sent = ""
  const send: typeof fetch = async (_url, init) => {
    sent = String(init?.body)
    return events(all)
  }
  const answer = await callModel(
    {
      fetch: send,
      accounts: { [engine]: account },
      sleep: async () => {},
      signal: new AbortController().signal,
      loadObject: async () => null,
      onText: () => {},
    },
    {
      engine,
      model: "m",
      messages: messages ?? [{ role: "user", content: [{ type: "text", text: "hi" }] }],
      maxOutputTokens: 100,
      tools: [{ name: tool, description: "d", inputSchema: { type: "object", properties: {} } }],
      attempt: 0,
    },
  )
  return { call: callsOf(answer.content)[0], sent }
}

describe.each(Object.keys(streams) as Engine[])("A tool call of %s", (engine) => {
  test("A call keeps the digits of its numbers, to the tool and back to the model", async () => {
    const { call } = await called(engine, streams[engine](`{"id":${LONG}}`))
    if (!call) throw new Error("there is no call")
    expect(JSON.stringify(callInput(call))).toBe(`{"id":${LONG}}`)
    // The transcript is stored as JSON.
    const stored = JSON.parse(JSON.stringify(call)) as typeof call
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [stored] },
      { role: "tool", content: [{ toolCallId: "c1", toolName: "t", output: { type: "text", value: "ok" } }] },
    ]
    expect((await called(engine, streams[engine]("{}"), { messages })).sent).toContain(LONG)
  })

  test("A call whose input is a list gets an error message, and no list is sent back", async () => {
    const { call } = await called(engine, streams[engine]("[1,2]"))
    if (!call) throw new Error("there is no call")
    expect(call.invalid).toBe("The input must be a JSON object. You wrote: [1,2]")
    const messages: Message[] = [
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "assistant", content: [call] },
      { role: "tool", content: [{ toolCallId: "c1", toolName: "t", output: { type: "error", value: "no" } }] },
    ]
    expect((await called(engine, streams[engine]("{}"), { messages })).sent).not.toContain("[1,2]")
  })

  test("The error for a call whose input is not JSON shows the model its own text", async () => {
    const { call } = await called(engine, streams[engine]('{"a": tru'))
    expect(call?.invalid).toMatch(/^The input is not valid JSON: .*You wrote: \{"a": tru$/s)
  })

  test("The error for a call of an unknown tool says that the tool does not exist", async () => {
    const { call } = await called(engine, streams[engine]('{"a":1}'), { tool: "other" })
    expect(call?.invalid).toBe('There is no tool "t". You wrote: {"a":1}')
  })
})

test.each([
  ["arguments as an object", "c1", `{"id":${LONG}}`],
  ["a numeric id", 7, undefined],
])("A server with the OpenAI format may send %s", async (_what, id, whole) => {
  const { call } = await called("openai-compatible", streams["openai-compatible"](`{"id":${LONG}}`, id, whole))
  expect(call?.toolCallId).toBe(String(id))
  expect(call && JSON.stringify(callInput(call))).toBe(`{"id":${LONG}}`)
})

test.each([
  ["9007199254740993", true],
  ["9007199254740991", false],
  ["9007199254740992", false],
  ["1152921504606846976", true],
  ["-12345678901234567890", true],
  ["12345678901234567890.0", true],
  ["1e22", false],
  ["1.0", false],
  ["-0", false],
  ["0.1234567890123456789", false],
  ["1e400", true],
  ['"12345678901234567890"', false],
])("The number %s loses digits as a double: %s", (text, changed) => {
  expect(changedNumber(`{"a":[${text}]}`)).toEqual(changed ? { path: ["a", "0"], digits: text } : null)
  if (changed) expect(JSON.stringify(parseExact(text))).toBe(text)
  expect(asDoubles(parseExact(text))).toEqual(JSON.parse(text))
})
