import { describe, expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { EngineContext, ModelCall } from "../../src/agent/engine.ts"
import { textMessage } from "../harness/steps.ts"
import { providerStream } from "../harness/streams.ts"

const call: ModelCall = {
  engine: "openai-compatible",
  model: "m",
  messages: [textMessage("user", "hi")],
  maxOutputTokens: 100,
  tools: [{ name: "look", description: "Looks.", inputSchema: { type: "object", properties: {} } }],
  attempt: 0,
}

/** The answer, and the text and the hidden reasoning that arrive during it. */
async function hear(pieces: string[], { finish = "stop", delta = {} }: { finish?: string; delta?: object } = {}) {
  let seen = ""
  let hidden = ""
  const chunks = pieces.map((content) => ({ id: "c", choices: [{ index: 0, delta: { content } }] }))
  const end = {
    id: "c",
    choices: [{ index: 0, delta, finish_reason: finish }],
    usage: { prompt_tokens: 3, completion_tokens: 9 },
  }
  const context: EngineContext = {
    fetch: providerStream([...chunks, end], { named: false }),
    accounts: { "openai-compatible": { baseUrl: "https://model.test/v1" } },
    sleep: async () => {},
    signal: new AbortController().signal,
    loadObject: async () => null,
    onText(piece) {
      seen += piece
    },
    onProgress(progress) {
      hidden += progress.hidden ?? ""
    },
  }
  const { text, content } = await callModel(context, call)
  const kept = content.map((part) => [part.type, "text" in part ? part.text : part.toolName])
  return { text, kept, seen, hidden }
}

const THINKS = "<think>\nThe user greets me.\n</think>\n\nHello there."

describe("An answer that begins with <think>", () => {
  test.each([
    ["in one piece", [THINKS]],
    ["character by character", [...THINKS]],
    ["with boundaries within its tags", ["<th", "ink>\nThe user greets", " me.\n</thi", "nk>\n", "\nHello", " there."]],
    ["after whitespace", [`\n  ${THINKS}`]],
  ])("The text up to </think> is reasoning: %s", async (_how, pieces) => {
    expect(await hear(pieces)).toEqual({
      text: "Hello there.",
      kept: [
        ["reasoning", "The user greets me."],
        ["text", "Hello there."],
      ],
      seen: "Hello there.",
      hidden: "\nThe user greets me.\n",
    })
  })

  test("An answer with an empty thought has no reasoning", async () => {
    expect(await hear(["<think>\n\n</think>\n\nHello."])).toMatchObject({ text: "Hello.", kept: [["text", "Hello."]] })
  })

  test("An answer that only thinks before its calls has no text", async () => {
    const calls = [{ index: 0, id: "a", type: "function", function: { name: "look", arguments: "{}" } }]
    for (const pieces of [["<think>Look.</think>"], ["<think>Look."]]) {
      const { text, kept, seen } = await hear(pieces, { finish: "tool_calls", delta: { tool_calls: calls } })
      expect({ text, seen }).toEqual({ text: "", seen: "" })
      expect(kept).toEqual([
        ["reasoning", "Look."],
        ["tool-call", "look"],
      ])
    }
  })

  test("An answer that reaches its limit while thinking has no text", async () => {
    const { text, kept, seen } = await hear(["<think>The user"], { finish: "length" })
    expect({ text, kept, seen }).toEqual({ text: "", kept: [["reasoning", "The user"]], seen: "" })
  })

  test("An answer that ends by itself without </think> is all text", async () => {
    const said = "<think> is a tag that some models write."
    expect(await hear([...said])).toMatchObject({ text: said, kept: [["text", said]], seen: said })
  })
})

test.each([
  "Models write `<think>` and `</think>`.",
  "```\n<think>no</think>\n```",
  "<thinker>",
  "<thin",
  "< think>no</think>",
])("The answer %j is text unchanged", async (said) => {
  expect(await hear([...said])).toEqual({ text: said, kept: [["text", said]], seen: said, hidden: "" })
})
