import type Anthropic from "@anthropic-ai/sdk"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import guide from "../../src/reference/guides/anthropic.md?raw"
import { failureOf } from "../harness/answers.ts"
import { anthropicOf } from "../harness/anthropic-clients.ts"
import { turnIn } from "../harness/openai-clients.ts"
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

/** The fields of Anthropic's package. The compiler names one that is missing here. */
type Field =
  | keyof Anthropic.MessageCreateParamsNonStreaming
  | keyof Anthropic.Beta.Messages.MessageCreateParamsNonStreaming
/** Fields that other packages send, and those that Anthropic's package has no longer. */
type OtherField = "temperature" | "top_k" | "top_p" | "safeguards"

const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
const tools = [{ name: "look", input_schema: { type: "object" } }]
const format = { type: "json_schema", schema }

/** A value of each field, and for a field that is honoured its effect on the turn. */
const FIELDS: Record<Field | OtherField, [value: unknown, effect?: object]> = {
  model: [undefined, {}],
  messages: [[{ role: "user", content: "Goodbye" }], { text: "Goodbye" }],
  system: ["Be brief.", { messages: [{ role: "system", content: "Be brief." }, { role: "user" }] }],
  max_tokens: [50, { max_output_tokens: 50 }],
  stream: [false, {}],
  tools: [tools, { finish: "tool_calls" }],
  tool_choice: [{ type: "none" }, { finish: "stop" }],
  metadata: [{ user_id: "customer-9" }, { end_user_ref: "customer-9" }],
  stop_sequences: [["END"], { stop: ["END"] }],
  temperature: [0.5, { temperature: 0.5 }],
  thinking: [{ type: "disabled" }, { reasoning: { effort: "none" } }],
  output_config: [{ effort: "low" }, { reasoning: { effort: "low" } }],
  output_format: [format, { response_format: { ...format, name: "result" } }],
  container: ["container_1"],
  mcp_servers: [[{ type: "url", name: "docs", url: "https://mcp.example.com" }]],
  thread: [{ type: "create" }],
  cache_control: [{ type: "ephemeral" }],
  context_management: [{ edits: [{ type: "clear_thinking_20251015", keep: "all" }] }],
  compaction: [{ type: "auto" }],
  top_k: [5],
  top_p: [0.9],
  speed: ["fast"],
  service_tier: ["auto"],
  safeguards: [[{ type: "any" }]],
  inference_geo: ["eu"],
  billing_policy: [{ type: "any" }],
  fallbacks: ["default"],
  fallback_credit_token: ["token"],
  diagnostics: [{}],
  betas: [["context-management-2025-06-27"]],
  user_profile_id: ["profile_1"],
  workspace_id: ["workspace_1"],
}

/** The rows of the guide's table of fields: effect and meaning by field. */
const table = new Map(
  guide
    .slice(guide.indexOf("## Fields"), guide.indexOf("## Blocks"))
    .split("\n")
    .flatMap((line) => {
      const [, names = "", effect = "", meaning = ""] = /^\| (`.*?`) \| (\w+) \| (.*) \|$/.exec(line) ?? []
      return [...names.matchAll(/`(\w+)`/g)].map(([, name = ""]) => [name, { effect, meaning }] as const)
    }),
)

test("The guide has a row for each field of Anthropic's package, and for no other", () => {
  expect([...table.keys()].sort()).toEqual(Object.keys(FIELDS).sort())
})

describe.each(Object.entries(FIELDS))("The field %s", (name, [value, effect]) => {
  const send = async (more: object) => {
    const content = name.startsWith("tool") ? "[call look {}]\n[reply Done.]" : "Hello"
    const asked = { model, max_tokens: 1_000, messages: [{ role: "user", content }] }
    const body = { ...asked, ...(name === "tool_choice" && { tools }), ...more }
    return client.getTurn(turnIn(await anthropic.beta.messages.create(body as never)).turn_id)
  }

  /** The parts of a turn that a field can change. */
  async function asked(more: object) {
    const { text, max_output_tokens, temperature, reasoning, response_format, stop, store, metadata, end_user_ref } =
      await send(more)
    return { text, max_output_tokens, temperature, reasoning, response_format, stop, store, metadata, end_user_ref }
  }

  test("It has the effect that the guide says", async () => {
    const row = table.get(name)
    const more = value === undefined ? {} : { [name]: value }
    if (row?.effect === "Refused") {
      const error = await failureOf(send(more))
      expect(error).toMatchObject({ status: 400, error: { error: { param: name } } })
      expect(String(error)).toContain(row.meaning)
    } else if (row?.effect === "Ignored") expect(await asked(more)).toEqual(await asked({}))
    else {
      const { messages, ...fields } = effect as Record<string, unknown>
      const turn = await send(more)
      expect(turn).toMatchObject(fields)
      if (!messages) return
      const read = await client.call("GET", `/v1/turns/${turn.turn_id}/messages`)
      expect(await read.json()).toMatchObject({ messages })
    }
  })
})
