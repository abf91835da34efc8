import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  chunk,
  counts,
  ends,
  messageStart,
  type RecordedStream,
  said,
  toolCall,
  usage,
  used,
} from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { waiter } from "../harness/waiting.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

const CLAUDE = "anthropic/claude-sonnet-4-5"
const READ = { input_tokens: 20, output_tokens: 10 }

let world: World
let client: TestClient
interface Asked {
  messages: { role: string; content: string }[]
  tools?: { function: { name: string } }[]
  tool_choice?: unknown
  response_format?: { json_schema: { schema: object } }
  output_config?: { format: object }
}
let asked: Asked[] = []
/** The provider's n-th answer in a test. */
let answers: (n: number, isClaude: boolean) => (object | string)[] | Response
beforeAll(async () => {
  const env = { OPENAI_BASE_URL: PROVIDER_URL, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: PROVIDER_URL }
  world = await createWorld({ env })
  await addModel(world)
  await addModel(world, CLAUDE)
  world.serve("model.test", async (request) => {
    const isClaude = request.url.endsWith("/messages")
    asked.push(await request.json())
    const frames = answers(asked.length - 1, isClaude)
    if (frames instanceof Response) return frames
    const engine: RecordedStream["engine"] = isClaude ? "anthropic" : "openai-compatible"
    return new Response(bytesOfFrames({ engine, frames }), { headers: { "content-type": "text/event-stream" } })
  })
})
beforeEach(async () => {
  asked = []
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

const SCHEMA = {
  type: "object",
  properties: { city: { type: "string", minLength: 2 }, zip: { type: "integer" } },
  required: ["city", "zip"],
}
const FORM = { type: "json_schema", name: "place", schema: SCHEMA }
const PLACE = { city: "Bonn", zip: 53113 }
const text = (content: string, finish = "stop") => [
  chunk({ content }),
  chunk({}, finish),
  counts(usage(20, 10)),
  "[DONE]",
]
const calls = (...list: [string, object][]) => [
  chunk({
    tool_calls: list.map(([name, input], index) =>
      toolCall(name, JSON.stringify(input), { index, id: `call_${asked.length}_${index}` }),
    ),
  }),
  chunk({}, "tool_calls"),
  counts(usage(20, 10)),
  "[DONE]",
]
const refusal = (message: string) =>
  Response.json({ error: { message, type: "invalid_request_error" } }, { status: 400 })
const plain = () => client.space({ manifest: { builtin_tools: [] } })
const run = async (more: object = {}) =>
  client.runTurn({ space: await plain(), model: PROVIDED_PIN, response_format: FORM, ...more })

test("A result that fits is shown as a value, on the turn, in lists, in its webhook and in the export", async () => {
  answers = () => text(' {"city":"Bonn",\n"zip":53113}')
  const turn = await run()
  const shown = { state: "done", output: PLACE, response_format: FORM, usage: { model_calls: 1 } }
  expect(turn).toMatchObject({ ...shown, result: '{"city":"Bonn",\n"zip":53113}' })
  const format = { type: "json_schema", json_schema: { name: "place", strict: true } }
  expect(asked[0]?.response_format).toMatchObject(format)
  expect(asked[0]?.response_format?.json_schema.schema).toEqual({
    type: "object",
    properties: { city: { type: "string", description: "minLength: 2" }, zip: { type: "integer" } },
    required: ["city", "zip"],
    additionalProperties: false,
  })
  expect(asked[0]?.tools).toBeUndefined()
  const listed = await (await client.call("GET", "/v1/turns")).json<{ data: object[] }>()
  expect(listed.data[0]).toMatchObject(shown)
  const exported = await (await client.call("GET", `/v1/end-users/${turn.end_user_ref}/export`)).json<{
    turns: object[]
  }>()
  expect(exported.turns[0]).toMatchObject(shown)
  const events = await (await client.call("GET", "/v1/events?order=asc")).json<{
    data: { type: string; data: { turn: object } }[]
  }>()
  const told = events.data.map(({ type, data }) => [type, data.turn])
  expect(told).toMatchObject([
    ["turn.queued", { output: null, response_format: FORM }],
    ["turn.running", { output: null, response_format: FORM }],
    ["turn.done", shown],
  ])
  expect((await waiter(client).events(turn.turn_id)).map(({ type }) => type)).not.toContain("text.delta")
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  const eraser = await world.createClient(client.userId, value)
  expect((await eraser.call("DELETE", `/v1/end-users/${turn.end_user_ref}`)).status).toBe(200)
  await world.settled()
  const gone = await (await client.call("GET", `/v1/turns/${turn.turn_id}`)).json()
  expect(gone).toMatchObject({ output: null, response_format: null, result: null })
  await expectPromises(world, client.userId)
})

test("A turn with any text, and a turn without a form, have no output", async () => {
  answers = () => text('{"a":1}')
  expect(await run({ response_format: { type: "text" } })).toMatchObject({
    state: "done",
    output: null,
    result: '{"a":1}',
  })
  expect(await run({ response_format: undefined })).toMatchObject({ output: null, response_format: null })
  expect(asked.map((body) => body.response_format)).toEqual([undefined, undefined])
})

test("The form of the manifest holds for a turn that asks for none, and the turn's own wins", async () => {
  const space = await client.space({ manifest: { builtin_tools: [], response_format: FORM } })
  answers = (n) => text(n === 0 ? JSON.stringify(PLACE) : "Any text.")
  const usual = await client.runTurn({ space, model: PROVIDED_PIN })
  expect(usual).toMatchObject({ output: PLACE, response_format: null })
  const own = await client.runTurn({ space, model: PROVIDED_PIN, response_format: { type: "text" } })
  expect(own).toMatchObject({ state: "done", output: null, result: "Any text." })
})

test("An answer that does not fit is corrected by one more call, which is billed and a step", async () => {
  answers = (n) => text(n === 0 ? '{"city":"B","zip":"53113"}' : JSON.stringify(PLACE))
  const turn = await run()
  expect(turn).toMatchObject({ state: "done", output: PLACE, usage: { model_calls: 2, tokens_input: 40 } })
  expect(asked[1]?.messages.slice(-2)).toEqual([
    { role: "assistant", content: '{"city":"B","zip":"53113"}' },
    { role: "user", content: expect.stringMatching(/\/zip: .*integer[\s\S]*Answer again[\s\S]*"minLength":2/) },
  ])
  const owner = await world.signIn(client.userId)
  const [, steps] = await owner.json("GET", `/api/account/turns/${turn.turn_id}/steps`)
  expect(steps.items.map(({ text }: { text: string }) => text)).toEqual([
    '{"city":"B","zip":"53113"}',
    JSON.stringify(PLACE),
  ])
  await expectPromises(world, client.userId)
})

test("A worker that continues after an answer without the form asks for its correction once", async () => {
  let isDown = true
  answers = (n) => (n === 0 ? text("no JSON") : isDown ? new Response("busy", { status: 503 }) : text("nor this"))
  const { turn_id } = await turnOf(
    await client.sendTurn({ space: await plain(), model: PROVIDED_PIN, response_format: FORM }),
  )
  await world.drain()
  expect(await client.getTurn(turn_id)).toMatchObject({ state: "running", usage: { model_calls: 1 } })
  isDown = false
  await world.advance(60_000)
  await world.drain()
  const turn = await client.getTurn(turn_id)
  expect(turn).toMatchObject({ state: "failed", error: { code: "OUTPUT_INVALID" }, usage: { model_calls: 2 } })
  expect(asked.at(-1)?.messages.at(-1)?.content).toMatch(/not JSON[\s\S]*Answer again/)
  await expectPromises(world, client.userId)
})

test("A second answer that does not fit fails the turn with the paths, and its calls are billed", async () => {
  answers = () => text('{"city":"Bonn"}')
  const turn = await run()
  const message = expect.stringMatching(/does not fit the schema: .*zip/)
  expect(turn).toMatchObject({ state: "failed", error: { code: "OUTPUT_INVALID", message }, output: null })
  expect(turn).toMatchObject({ result: '{"city":"Bonn"}', usage: { model_calls: 2 } })
  expect(turn.billed_cost_usd).toBeGreaterThan(0)
  await expectPromises(world, client.userId)
})

test("A cut answer is invalid even if it is JSON, and the model is told so", async () => {
  answers = (n) => (n === 0 ? text(JSON.stringify(PLACE), "length") : text("no JSON"))
  const turn = await run()
  expect(asked[1]?.messages.at(-1)?.content).toMatch(/^The answer was cut off at its output limit/)
  expect(turn).toMatchObject({
    state: "failed",
    error: { code: "OUTPUT_INVALID", message: expect.stringMatching("not JSON") },
  })
})

test("An agent at its limit of calls is not asked again, and fails for its answer", async () => {
  answers = () => text("no")
  const space = await client.space({ manifest: { builtin_tools: [], max_steps: 1 } })
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, response_format: FORM })
  expect(turn).toMatchObject({ state: "failed", error: { code: "OUTPUT_INVALID" }, usage: { model_calls: 1 } })
})

test("Anthropic gets its own parameter for a closed schema, and otherwise a tool that it must call", async () => {
  answers = (n) => {
    const body = n === 0 ? said(0, JSON.stringify(PLACE)) : used(0, "final_answer", JSON.stringify({ a: "b" }))
    return [messageStart(READ), ...body, ...ends(n === 0 ? "end_turn" : "tool_use", READ)]
  }
  expect(await run({ model: CLAUDE })).toMatchObject({ state: "done", output: PLACE })
  expect(asked[0]?.output_config?.format).toMatchObject({
    type: "json_schema",
    schema: { additionalProperties: false },
  })
  const open = { type: "object", additionalProperties: { type: "string" } }
  const turn = await run({ model: CLAUDE, response_format: { ...FORM, schema: open } })
  expect(turn).toMatchObject({ state: "done", output: { a: "b" }, result: '{"a":"b"}', usage: { tool_calls: 0 } })
  expect(asked[1]).toMatchObject({
    tools: [{ name: "final_answer", input_schema: open }],
    tool_choice: { type: "any" },
  })
  expect(asked[1]?.output_config).toBeUndefined()
  await expectPromises(world, client.userId)
})

test("A server that refuses the parameter is asked with a tool, then with words, and the first is remembered", async () => {
  answers = (n) =>
    [
      () => refusal("response_format is not supported by this model"),
      () => refusal("this model does not support tools"),
      () => text(`\`\`\`json\n${JSON.stringify(PLACE)}\n\`\`\``),
      () => calls(["final_answer", PLACE]),
    ][n]?.() ?? text("?")
  expect(await run()).toMatchObject({ state: "done", output: PLACE, result: JSON.stringify(PLACE) })
  expect(asked[2]?.tools).toBeUndefined()
  expect(asked[2]?.messages[0]?.content).toMatch(/fit this JSON Schema/)
  await world.drain()
  const second = await run()
  expect(second).toMatchObject({ state: "done", output: PLACE, usage: { model_calls: 1 } })
  expect(asked).toHaveLength(4)
  const started = await waiter(client).events(second.turn_id)
  expect(started.find(({ type }) => type === "request.adjusted")?.data).toMatchObject({ without: ["response_format"] })
  await world.sql("update model_catalog set learned = '{}' where pin = $1", [PROVIDED_PIN])
})

test("A result that is no object is asked for in one, and shown without it", async () => {
  const list = { $ref: "#/definitions/list", definitions: { list: { type: "array", items: { type: "integer" } } } }
  answers = () => text('{"value":[1,12345678901234567890]}')
  const turn = await run({ response_format: { ...FORM, schema: list } })
  expect(turn).toMatchObject({ state: "done", result: "[1,12345678901234567890]" })
  expect(asked[0]?.response_format?.json_schema.schema).toMatchObject({ required: ["value"] })
})

test("The space's tools and sub-agents run before the answer, and a call next to it comes first", async () => {
  world.serve("tools.test", () => Response.json({ status: "shipped" }))
  const space = await client.space({
    manifest: { builtin_tools: [], subagents: [{ name: "helper", description: "Helps." }] },
  })
  const request = { method: "GET", url: "https://tools.test/orders" }
  await client.call("PUT", `/v1/spaces/${space}/tools/lookup`, {
    description: "Looks up.",
    input_schema: { type: "object" },
    request,
  })
  await world.sql('update model_catalog set learned = \'{"without":["response_format"]}\' where pin = $1', [
    PROVIDED_PIN,
  ])
  answers = (n) =>
    [
      () => calls(["lookup", {}], ["final_answer", { city: "?", zip: 1 }]),
      () => calls(["delegate", { agent: "helper", task: "Sum it up." }]),
      () => text("Shipped."),
      () => calls(["final_answer", PLACE]),
    ][n]?.() ?? text("?")
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, response_format: FORM })
  expect(turn).toMatchObject({ state: "done", output: PLACE, usage: { model_calls: 4, tool_calls: 2 } })
  const isAsked = asked.map(({ tools }) => tools?.some((tool) => tool.function.name === "final_answer") ?? false)
  expect(isAsked).toEqual([true, true, false, true])
  expect(asked[0]?.tool_choice).toBe("required")
  await world.sql("update model_catalog set learned = '{}' where pin = $1", [PROVIDED_PIN])
  await expectPromises(world, client.userId)
})

test("A JSON object is any object, and nothing else", async () => {
  answers = (n) => text(n === 0 ? "[1]" : '{"a":[1]}')
  const turn = await run({ response_format: { type: "json_object" } })
  expect(turn).toMatchObject({ state: "done", output: { a: [1] }, usage: { model_calls: 2 } })
  expect(asked[0]?.response_format).toEqual({ type: "json_object" })
  expect(asked[0]?.messages[0]).toEqual({ role: "system", content: "Answer with a JSON object." })
})

test("A rehearsed answer fits the form, and a reply of the script is checked as any other", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const rehearsed = (said: string) => client.runTurn({ space, text: said, response_format: FORM })
  expect(await rehearsed("Where?")).toMatchObject({ state: "done", output: { city: "text", zip: 1 } })
  expect(await rehearsed('[reply {"city":"Bonn","zip":1}]')).toMatchObject({ output: { city: "Bonn", zip: 1 } })
  expect(await rehearsed("[reply no]")).toMatchObject({ output: { city: "text" }, usage: { model_calls: 2 } })
  await expectPromises(world, client.userId)
})
