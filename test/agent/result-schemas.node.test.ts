import { expect, test } from "vitest"
import { callModel } from "../../src/agent/call-model.ts"
import type { ModelCall } from "../../src/agent/engine.ts"
import { sampleOf } from "../../src/agent/sample-value.ts"
import { responseFormatSchema, resultFormOf } from "../../src/agent-config/response-format.ts"
import { checkedResult } from "../../src/runs/checked-result.ts"
import { chunk, counts, ends, messageStart, said, toolCall, usage, used } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { RESULT_SCHEMAS } from "../harness/result-schemas.ts"
import { textMessage } from "../harness/steps.ts"

const ENGINES = ["openai", "anthropic", "openai-compatible", "rehearsal"] as const
type Engine = (typeof ENGINES)[number]
type Fields = Record<string, unknown>
const READ = { input_tokens: 9, output_tokens: 9 }

/** The way and the schema that a provider was sent. */
interface Sent {
  way: string
  schema: Fields
}

function sentIn(engine: Engine, body: Fields): Sent {
  const { tools } = body as { tools?: Fields[] }
  if (tools) {
    const [tool] = tools as { parameters?: Fields; input_schema?: Fields; function?: { parameters: Fields } }[]
    return { way: "tool", schema: tool?.parameters ?? tool?.input_schema ?? tool?.function?.parameters ?? {} }
  }
  const native = {
    openai: (body.text as { format?: Fields } | undefined)?.format,
    anthropic: (body.output_config as { format?: Fields } | undefined)?.format,
    "openai-compatible": (body.response_format as { json_schema?: Fields } | undefined)?.json_schema,
    rehearsal: undefined,
  }[engine]
  if (!native) return { way: "words", schema: {} }
  return { way: native.strict === false ? "native, loose" : "native, strict", schema: native.schema as Fields }
}

/** An answer that does what it was asked for, in the protocol of the engine. */
function framesOf(engine: Engine, { way }: Sent, json: string): (object | string)[] {
  const isTool = way === "tool"
  if (engine === "anthropic") {
    const body = isTool ? used(0, "final_answer", json) : said(0, json)
    return [messageStart(READ), ...body, ...ends(isTool ? "tool_use" : "end_turn", READ)]
  }
  if (engine === "openai-compatible") {
    const call = toolCall("final_answer", json, { index: 0, id: "c1" })
    return [
      chunk(isTool ? { tool_calls: [call] } : { content: json }),
      chunk({}, isTool ? "tool_calls" : "stop"),
      counts(usage(9, 9)),
      "[DONE]",
    ]
  }
  const item = { type: "message", id: "m1", role: "assistant" }
  return [
    { type: "response.created", response: { id: "r1", created_at: 1, model: "m" } },
    { type: "response.output_item.added", output_index: 0, item: { ...item, content: [] } },
    { type: "response.output_text.delta", item_id: "m1", output_index: 0, content_index: 0, delta: json },
    {
      type: "response.output_item.done",
      output_index: 0,
      item: { ...item, content: [{ type: "output_text", text: json, annotations: [] }] },
    },
    { type: "response.completed", response: { id: "r1", status: "completed", usage: { ...READ, total_tokens: 18 } } },
  ]
}

async function tried(engine: Engine, schema: Fields): Promise<{ sent: Sent; fault: string | null; bytes: number }> {
  const form = resultFormOf({ type: "json_schema", name: "result", schema })
  if (!form) throw new Error("a schema makes a form")
  let sent: Sent = { way: "rehearsed", schema: {} }
  let bytes = 0
  const account = { apiKey: "sk-test", baseUrl: "https://model.test/v1" }
  const context = {
    accounts: { anthropic: account, openai: account, "openai-compatible": account },
    sleep: async () => {},
    signal: new AbortController().signal,
    loadObject: async () => null,
    onText: () => {},
    fetch: async (_input: unknown, init?: RequestInit) => {
      sent = sentIn(engine, JSON.parse(String(init?.body)) as Fields)
      bytes = JSON.stringify(sent.schema).length
      const json = JSON.stringify(sampleOf(sent.way === "words" ? form.schema : sent.schema))
      const frames = bytesOfFrames({
        engine: engine === "rehearsal" ? "openai" : engine,
        frames: framesOf(engine, sent, json),
      })
      return new Response(frames, { headers: { "content-type": "text/event-stream" } })
    },
  }
  const call: ModelCall = {
    engine,
    model: "m",
    messages: [textMessage("user", "Answer.")],
    tools: [],
    maxOutputTokens: 100_000,
    attempt: 0,
    result: form,
  }
  const { text, content, finish } = await callModel(context as Parameters<typeof callModel>[0], call)
  const checked = checkedResult(form, [{ step: 0, agent: null, text, content, finish, results: {} }])
  return { sent, fault: checked ? checked.fault : "no answer", bytes }
}

test("Each of 60 schemas is sent to each engine in a form that it takes, and its answer is checked", async () => {
  const rows: string[][] = []
  for (const [name, schema] of Object.entries(RESULT_SCHEMAS)) {
    const { error } = responseFormatSchema.safeParse({ type: "json_schema", name: "result", schema })
    expect(error?.issues, name).toBeUndefined()
    const cells: string[] = []
    for (const engine of ENGINES) {
      const { sent, fault, bytes } = await tried(engine, schema)
      // A provider may not know a keyword. Then only our check finds the fault, with its place.
      if (fault !== null) expect(fault, `${name}, ${engine}`).toMatch(/does not fit the schema: \//)
      expect(bytes, `${name}, ${engine}`).toBeLessThanOrEqual(2 * JSON.stringify(schema).length + 900)
      cells.push(`${sent.way}: ${fault === null ? "fits" : "found"}`)
    }
    rows.push([name, ...cells])
  }
  expect(rows).toHaveLength(60)
  const table = rows.map(
    ([name = "", ...cells]) => `${name.padEnd(36)}${cells.map((cell) => cell.padEnd(24)).join("")}`,
  )
  process.stdout.write(
    `\n${"schema".padEnd(36)}${ENGINES.map((engine) => engine.padEnd(24)).join("")}\n${table.join("\n")}\n`,
  )
  const fitting = rows.flatMap(([, ...cells]) => cells).filter((cell) => cell.endsWith("fits")).length
  expect(fitting).toBeGreaterThan(220)
})
