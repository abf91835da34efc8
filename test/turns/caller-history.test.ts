import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { PROVIDED_PIN, PROVIDER_URL, type ProviderScript, scriptProvider } from "../harness/scripted-provider.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let script: ProviderScript[] = []
let provider: ReturnType<typeof scriptProvider>
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  provider = scriptProvider(world, ({ messages }) =>
    String(messages[0]?.content).startsWith("You summarise")
      ? { words: ["summary"] }
      : (script.shift() ?? { words: ["Fine."] }),
  )
  world.serve("model.test", provider.serve)
})
beforeEach(async () => {
  script = []
  provider.asks.length = 0
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

const tools = [{ name: "find", input_schema: { type: "object" } }]

/** A conversation in a space with this history: a text, calls of the caller's tool with their result, and a text. */
async function talk(history: object) {
  const space = await client.space({ model: PROVIDED_PIN, manifest: { builtin_tools: [], history } })
  const run = (body: object) => client.runTurn({ space, ...body })
  await run({ text: "Hello." })
  script = [{ calls: [{ name: "find", arguments: '{"id":"A-1"}' }] }]
  const { calls } = await run({ text: "Where is it?", tools })
  expect(calls).toHaveLength(1)
  await run({ text: undefined, results: [{ id: calls[0]?.id, output: "In Paris." }] })
  return run
}

const shown = (nth: number) =>
  (provider.asks.at(nth)?.messages ?? []).map(({ role, content }) => `${role}: ${String(content)}`)

test("If the history no longer has the text and the calls of an exchange, the model reads their results alone", async () => {
  const run = await talk({ max_turns: 2 })
  await run({ text: "Thanks." })
  expect(shown(-1)).toEqual([
    "user: Where is it?",
    "assistant: null",
    "tool: In Paris.",
    "assistant: Fine.",
    "user: Thanks.",
  ])
  await run({ text: "Bye." })
  expect(shown(-1)).toEqual(["user: In Paris.", "assistant: Fine.", "user: Thanks.", "assistant: Fine.", "user: Bye."])
})

test("A summary has the calls and results of the exchanges that leave the history", async () => {
  const run = await talk({ max_turns: 4, summary: true })
  await run({ text: "Thanks." })
  await run({ text: "Bye." })
  await run({ text: "One more thing." })
  const asked = provider.asks.find(({ messages }) => String(messages[0]?.content).startsWith("You summarise"))
  const said = String(asked?.messages.at(-1)?.content)
  expect(said).toContain("Where is it?")
  expect(said).toMatch(/"name":"find","input":\{"id":"A-1"\}/)
  expect(said).toContain("tool: In Paris.")
  expect(JSON.stringify(provider.asks.at(-1)?.messages)).toContain("summary")
})

test("A long result counts in the history, so that it leaves with its exchange", async () => {
  const space = await client.space({
    model: PROVIDED_PIN,
    manifest: { builtin_tools: [], history: { max_tokens: 2000 } },
  })
  const run = (body: object) => client.runTurn({ space, ...body })
  script = [{ calls: [{ name: "find", arguments: "{}" }] }]
  const { calls } = await run({ text: "Where is it?", tools })
  await run({ text: undefined, results: [{ id: calls[0]?.id, output: "long ".repeat(4000) }] })
  await run({ text: "Thanks." })
  expect(shown(-1)).toEqual(["user: Thanks."])
})
