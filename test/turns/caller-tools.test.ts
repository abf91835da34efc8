import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN, PROVIDER_URL, type ProviderScript, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let space: string
/** The answers of the provider, one for each call. */
let script: ProviderScript[] = []
let provider: ReturnType<typeof scriptProvider>
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  provider = scriptProvider(world, () => script.shift() ?? { words: ["Fine."] })
  world.serve("model.test", provider.serve)
})
beforeEach(async () => {
  script = []
  provider.asks.length = 0
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: ["list_files"], instructions: "Be brief." } })
})
afterAll(() => world.close())

const input_schema = { type: "object", properties: { id: { type: "string" } }, required: ["id"] }
const FIND = { name: "find", description: "Finds an order.", input_schema }
const SHIP = { name: "ship", input_schema }
const TOOLS = [FIND, SHIP]

const call = (name: string, input: unknown) => ({ name, arguments: JSON.stringify(input) })
const run = (body: object) => client.runTurn({ space, model: PROVIDED_PIN, ...body })
const refusal = async (body: object) =>
  readAnswer(client.sendTurn({ space, model: PROVIDED_PIN, text: undefined, ...body }))
const asked = (nth: number) => {
  const all = provider.asks.at(nth)
  if (!all) throw new Error("The provider was not asked.")
  return all
}
const eventsOf = async (turnId: string) =>
  (await readAnswer(client.call("GET", `/v1/turns/${turnId}/events`))).body.data as { type: string; data: object }[]

test("A turn ends with calls of its caller's tools, and their results continue it with the same prompt", async () => {
  script = [{ calls: [call("find", { id: "A" }), call("ship", { id: "B" })] }]
  const first = await run({ text: "Where is A?", tools: TOOLS })
  expect(first).toMatchObject({ state: "done", finish: "tool_calls", result: "", held_usd: 0 })
  expect(first.calls.map(({ name, input }) => [name, input])).toEqual([
    ["find", { id: "A" }],
    ["ship", { id: "B" }],
  ])
  expect(first.billed_cost_usd).toBeGreaterThan(0)
  const events = await eventsOf(first.turn_id)
  expect(events.filter(({ type }) => type === "tool.requested").map(({ data }) => data)).toEqual(
    first.calls.map((one, index) => ({ step: 0, call: index, ...one })),
  )
  const [find, ship] = first.calls
  const results = [
    { id: ship?.id, error: "It is lost." },
    { id: find?.id, output: "On its way." },
  ]
  script = [{ calls: [call("find", { id: "C" })] }]
  const second = await run({ text: undefined, results })
  expect(second).toMatchObject({ state: "done", finish: "tool_calls", text: "", calls: [{ name: "find" }] })
  const third = await run({ text: undefined, results: [{ id: second.calls[0]?.id, output: "Here." }] })
  expect(third).toMatchObject({ state: "done", finish: "stop", calls: [], result: "Fine." })
  for (const [nth, { messages, tools }] of provider.asks.entries()) {
    const before = provider.asks[nth - 1]
    if (before) expect(messages.slice(0, before.messages.length)).toEqual(before.messages)
    expect(tools).toEqual(asked(0).tools)
  }
  expect(
    asked(-1)
      .messages.slice(1)
      .map(({ role, content }) => [role, content]),
  ).toEqual([
    ["user", "Where is A?"],
    ["assistant", null],
    ["tool", "On its way."],
    ["tool", "It is lost."],
    ["assistant", null],
    ["tool", "Here."],
  ])
  const { body } = await readAnswer(client.call("GET", `/v1/turns/${second.turn_id}/messages`))
  expect(body.messages).toEqual([{ role: "tool", results }])
  await expectPromises(world, client.userId)
})

test("Tools of the space run before the turn ends, and an input that does not fit is the model's to repair", async () => {
  script = [
    { calls: [call("find", { id: 7 }), call("find", {})] },
    { calls: [call("find", { id: "A" }), call("list_files", {}), call("find", { id: 7 })] },
  ]
  const turn = await run({ text: "Where is A?", tools: TOOLS })
  expect(turn).toMatchObject({ finish: "tool_calls", calls: [{ name: "find", input: { id: "A" } }] })
  expect(turn.usage.model_calls).toBe(2)
  const results = (nth: number) =>
    asked(nth).messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []))
  expect(results(1)).toEqual([
    expect.stringMatching(/does not fit the tool's schema: \/id/),
    expect.stringMatching(/does not fit the tool's schema/),
  ])
  const next = await run({ text: undefined, results: [{ id: turn.calls[0]?.id, output: "Here." }] })
  expect(next.result).toBe("Fine.")
  expect(results(2).slice(2)).toEqual(["Here.", "[]", expect.stringMatching(/schema/)])
})

test("The model reads that calls were not answered if another text comes, and their results are then refused", async () => {
  script = [{ words: ["Let me look."], calls: [call("find", { id: "A" })] }]
  const first = await run({ text: "Where is A?", tools: TOOLS })
  expect(first.result).toBe("Let me look.")
  await run({ text: "Never mind." })
  expect(asked(-1).messages.slice(1)).toMatchObject([
    { role: "user", content: "Where is A?" },
    { role: "assistant", content: "Let me look.", tool_calls: [{ id: first.calls[0]?.id }] },
    { role: "tool", content: "The call was not answered." },
    { role: "user", content: "Never mind." },
  ])
  const answer = await refusal({ results: [{ id: first.calls[0]?.id, output: "Here." }] })
  expect(answer).toMatchObject({ status: 409, body: { error: { code: "CALLS_NOT_OPEN", param: "results" } } })
})

test("Later turns read the calls of an exchange with their results, and a text can come with results", async () => {
  script = [{ calls: [call("find", { id: "A" })] }]
  const { calls } = await run({ text: "Where is A?", tools: TOOLS })
  await run({ text: "Hurry.", results: [{ id: calls[0]?.id, output: "Here." }] })
  await run({ text: "Thanks." })
  expect(asked(-1).messages.slice(1)).toMatchObject([
    { role: "user", content: "Where is A?" },
    { role: "assistant", tool_calls: [{ id: calls[0]?.id }] },
    { role: "tool", content: "Here." },
    { role: "user", content: "Hurry." },
    { role: "assistant", content: "Fine." },
    { role: "user", content: "Thanks." },
  ])
})

test("Results must be exactly those of the open calls, and each fault is named with its place", async () => {
  script = [{ calls: [call("find", { id: "A" }), call("find", { id: "B" })] }]
  const { calls } = await run({ text: "Where?", tools: TOOLS })
  const [a, b] = calls.map(({ id }) => ({ id, output: "Here." }))
  const at = async (results: unknown[]) => (await refusal({ results })).body.error
  expect(await at([a])).toMatchObject({
    code: "VALIDATION_FAILED",
    param: "results",
    message: expect.stringContaining(b?.id ?? ""),
  })
  expect(await at([a, a])).toMatchObject({ param: "results.1.id" })
  expect(await at([a, b, { id: "call_x", output: "" }])).toMatchObject({ param: "results.2.id" })
  expect(await at([a, { id: b?.id }])).toMatchObject({ param: "results.1" })
  expect(await at([])).toMatchObject({ param: "results" })
  expect((await run({ text: undefined, results: [b, a] })).result).toBe("Fine.")
  expect(await at([a, b])).toMatchObject({ code: "CALLS_NOT_OPEN" })
})

test("Results of a call of another account, end user, space or conversation are refused", async () => {
  script = [{ calls: [call("find", { id: "A" })] }]
  const { calls, conversation } = await run({ text: "Where?", tools: TOOLS })
  const results = [{ id: calls[0]?.id, output: "Here." }]
  const other = await world.createAccount({ usd: 10 })
  const theirs = await other.space()
  const answers = [
    await readAnswer(other.sendTurn({ space: theirs, text: undefined, results })),
    await readAnswer(other.sendTurn({ space: theirs, text: undefined, conversation, results })),
    await readAnswer(other.sendTurn({ space, text: undefined, conversation, results })),
    await refusal({ end_user_ref: "another", results }),
    await refusal({ end_user_ref: "another", conversation, results }),
    await refusal({ space: await client.space(), results }),
    await refusal({ conversation: "another", results }),
  ]
  expect(answers.map(({ body }) => body.error.code)).toEqual([
    "CALLS_NOT_OPEN",
    "NOT_FOUND",
    "NOT_FOUND",
    "CALLS_NOT_OPEN",
    "NOT_FOUND",
    "CALLS_NOT_OPEN",
    "CALLS_NOT_OPEN",
  ])
  expect((await run({ text: undefined, results })).result).toBe("Fine.")
})

test("A failed turn leaves the calls open, and of two turns with results at one moment one is accepted", async () => {
  script = [{ calls: [call("find", { id: "A" })] }, { status: 400, message: "no" }]
  const { calls } = await run({ text: "Where?", tools: TOOLS })
  const body = { text: undefined, results: [{ id: calls[0]?.id, output: "Here." }] }
  expect(await run(body)).toMatchObject({ state: "failed", finish: null })
  const both = await Promise.all([refusal(body), refusal(body)])
  await world.drain()
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409])
  expect(both.find(({ status }) => status === 409)?.body.error.code).toBe("CALLS_NOT_OPEN")
})

test("The choice of tools holds until the first call, and no model makes more calls than its turn allows", async () => {
  const choices = () => provider.asks.map((one) => (one as { tool_choice?: unknown }).tool_choice)
  script = [{ calls: [call("list_files", {})] }, { calls: [call("find", { id: "A" }), call("find", { id: "B" })] }]
  const turn = await run({ text: "Where?", tools: TOOLS, tool_choice: "required", parallel_tool_calls: false })
  expect(choices()).toEqual(["required", "auto"])
  expect(asked(0)).toMatchObject({ parallel_tool_calls: false })
  expect(turn.calls.map(({ input }) => input)).toEqual([{ id: "A" }])
  await run({
    text: undefined,
    results: [{ id: turn.calls[0]?.id, output: "Here." }],
    tool_choice: { name: "ship" },
    tools: TOOLS,
  })
  expect(asked(-1)).toMatchObject({ tool_choice: { type: "function", function: { name: "ship" } } })
  script = [{ calls: [call("find", { id: "A" })] }]
  const none = await run({ text: "Where?", tools: TOOLS, tool_choice: "none" })
  expect(none).toMatchObject({ finish: "stop", result: "Fine." })
  expect(choices().slice(-2)).toEqual(["none", "none"])
})

test("A caller's tool can have the name of a tool of its own server, and not that of a server of the space", async () => {
  const name = `mcp__orders__${"find".repeat(12)}`
  script = [{ calls: [call(name, { id: "A" })] }]
  const first = await run({ text: "Where is A?", tools: [{ ...FIND, name }] })
  expect(first.calls).toMatchObject([{ name, input: { id: "A" } }])
  const [one] = first.calls
  const ended = await run({ conversation: first.conversation, results: [{ id: one?.id, output: "It left." }] })
  expect(ended).toMatchObject({ state: "done", result: "Fine." })
  world.serve("mcp.example.com", () => new Response(null, { status: 500 }))
  space = await client.space({ mcp_servers: [{ name: "mcp", url: "https://mcp.example.com/mcp" }] })
  const { status, body } = await refusal({ text: "Where?", tools: [{ ...FIND, name }] })
  expect([status, body.error]).toMatchObject([422, { code: "VALIDATION_FAILED", param: "tools" }])
  expect((await refusal({ text: "Where?", tools: [{ ...FIND, name: "mcp" }] })).status).toBe(202)
})

const bomb = { type: "object", properties: { a: { type: "string", pattern: "(x{1,900}){1,900}" } } }
const wide = { type: "object", properties: { a: { type: "string", pattern: "(a|b){1,100}".repeat(4) } } }
test.each<[string, object, string]>([
  ["1,000 tools", { tools: Array.from({ length: 1000 }, (_, nth) => ({ ...FIND, name: `t${nth}` })) }, "tools"],
  ["the name of a built-in tool", { tools: [{ ...FIND, name: "delegate" }] }, "tools.0.name"],
  ["the name of a container's tool", { tools: [{ ...FIND, name: "container__find" }] }, "tools.0.name"],
  ["one name twice", { tools: [FIND, FIND] }, "tools.1.name"],
  ["a pattern that explodes", { tools: [{ ...FIND, input_schema: bomb }] }, "tools.0.input_schema"],
  [
    "many patterns",
    { tools: Array.from({ length: 100 }, (_, nth) => ({ name: `t${nth}`, input_schema: wide })) },
    "tools.25.input_schema",
  ],
  [
    "an impossible schema",
    { tools: [{ ...FIND, input_schema: { type: "object", required: 7 } }] },
    "tools.0.input_schema.required",
  ],
  ["a schema of a text", { tools: [{ ...FIND, input_schema: { type: "string" } }] }, "tools.0.input_schema"],
  [
    "large tools",
    {
      tools: [1, 2, 3, 4, 5].map((nth) => ({
        name: `t${nth}`,
        input_schema: { ...input_schema, title: "x".repeat(60_000) },
      })),
    },
    "tools",
  ],
  ["a choice without tools", { tool_choice: "required" }, "tool_choice"],
  ["a choice of an unknown tool", { tools: [FIND], tool_choice: { name: "ship" } }, "tool_choice.name"],
  ["parallel calls without tools", { parallel_tool_calls: false }, "parallel_tool_calls"],
  [
    "results and messages",
    { text: undefined, messages: [{ role: "user", content: "a" }], results: [{ id: "a", output: "" }] },
    "results",
  ],
])("A turn with %s is refused at its place", async (_, body, param) => {
  const answer = await refusal({ text: "Where?", ...body })
  expect(answer).toMatchObject({ status: 422, body: { error: { code: "VALIDATION_FAILED", param } } })
})

test("A caller's tool cannot have the name of a tool of the space", async () => {
  const own = await client.space({ tools: [{ ...FIND, request: null }] })
  const answer = await refusal({ space: own, text: "Where?", tools: TOOLS })
  expect(answer).toMatchObject({ status: 422, body: { error: { code: "VALIDATION_FAILED", param: "tools" } } })
})

test("Calls and tools are exported, and an erasure deletes them and ends their exchange", async () => {
  script = [{ calls: [call("find", { id: "SECRET" })] }]
  const turn = await run({ text: "Where?", tools: TOOLS })
  const path = `/v1/end-users/${turn.end_user_ref}`
  const [exported] = (await readAnswer(client.call("GET", `${path}/export`))).body.turns
  expect(exported).toMatchObject({ finish: "tool_calls", calls: turn.calls, tools: TOOLS })
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  expect((await world.createClient(client.userId, value).call("DELETE", path)).status).toBe(200)
  await world.settled()
  expect(await client.getTurn(turn.turn_id)).toMatchObject({ finish: "tool_calls", calls: [] })
  const rows = "select to_jsonb(t) from turns t where t.user_id = $1 union all select to_jsonb(o) from turn_tools o"
  expect(JSON.stringify(await world.sql(rows, [client.userId]))).not.toMatch(/SECRET/)
  const answer = await refusal({ results: [{ id: turn.calls[0]?.id, output: "Here." }] })
  expect(answer.body.error.code).toBe("CALLS_NOT_OPEN")
})
