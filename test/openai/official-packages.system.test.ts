import { execFile } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { createOpenAI } from "@ai-sdk/openai"
import { Agent, OpenAIProvider, Runner } from "@openai/agents"
import { generateText, Output, streamText } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import type { Turn, TurnState } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"
import { agentsClient } from "./packages/agents.ts"
import { aiChat, aiCompatible, aiResponses } from "./packages/ai-sdk.ts"
import { type Access, LOOKUP, type MakeClient, type PackageClient } from "./packages/client.ts"
import { Order, PLACE, Place } from "./packages/forms.ts"
import { chatClient, clientOf, responsesClient } from "./packages/openai.ts"

/** The packages are unmodified, and the service runs as a developer starts it. */
let service: Started
let folder: string
let model: string
let langchain: Langchain
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnpike-langchain-"))
  await cp(join(import.meta.dirname, "langchain"), folder, { recursive: true })
  ;[service] = await Promise.all([npmStart(), promisify(execFile)("npm", ["ci"], { cwd: folder })])
  langchain = (await import(pathToFileURL(join(folder, "clients.mjs")).href)) as Langchain
  model = String((await api("POST", "/v1/spaces", { title: "Support", manifest: { builtin_tools: [] } })).space_id)
})
afterAll(async () => {
  await service?.stop()
  if (folder) await rm(folder, { recursive: true, force: true })
})

/** The module in `langchain/`, whose packages have a folder of their own. */
type Langchain = Record<"chatModel" | "graphAgent", (useResponsesApi: boolean, forms: object) => MakeClient>
const FORMS = { lookup: LOOKUP, order: z.toJSONSchema(Order), place: z.toJSONSchema(Place) }

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(service.base_url + path, {
    method,
    headers: { authorization: `Bearer ${service.api_key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Record<string, unknown>
}

const accessOf = (user: string, space = model): Access => ({
  baseURL: `${service.base_url}/v1/openai`,
  apiKey: service.api_key,
  model: space,
  headers: { "Turnpike-End-User": user },
})

/** The turns of an end user, newest first. */
async function turnsOf(endUser: string): Promise<Turn[]> {
  return (await api("GET", `/v1/turns?end_user_ref=${endUser}&limit=100`)).data as Turn[]
}

/** These are all turns of the end user. Each that is done is billed, and the end user's bill is their sum. */
async function expectTurns(endUser: string, states: TurnState[]): Promise<void> {
  const turns = await turnsOf(endUser)
  expect(turns.map(({ state }) => state)).toEqual(states)
  const done = turns.filter(({ state }) => state === "done")
  for (const { billed_cost_usd, usage } of done) expect([billed_cost_usd > 0, usage.model_calls]).toEqual([true, 1])
  if (turns.length === 0) return
  const { billed_usd } = await api("GET", `/v1/end-users/${endUser}`)
  const sum = turns.reduce((total, { billed_cost_usd }) => total + billed_cost_usd, 0)
  expect(billed_usd).toBeCloseTo(sum, 7)
}

interface Row {
  make: MakeClient
  /** The package's message for a failed turn, if it hides the code. */
  failure?: RegExp
  /** How many turns a value with a form takes, if not one. */
  formTurns?: number
}

const CODE = /OUT_OF_STOCK|Rehearsed: the turn fails/

const PACKAGES: [name: string, row: Row][] = [
  ["openai, responses", { make: responsesClient }],
  ["openai, chat completions", { make: chatClient }],
  ["@openai/agents, responses", { make: agentsClient(true), failure: /"response\.failed"|OUT_OF_STOCK/ }],
  ["@openai/agents, chat completions", { make: agentsClient(false) }],
  ["ai with @ai-sdk/openai, responses", { make: aiResponses }],
  ["ai with @ai-sdk/openai, chat completions", { make: aiChat }],
  ["ai with @ai-sdk/openai-compatible", { make: aiCompatible }],
  ["@langchain/openai, responses", { make: (access) => langchain.chatModel(true, FORMS)(access) }],
  ["@langchain/openai, chat completions", { make: (access) => langchain.chatModel(false, FORMS)(access) }],
  // Its agent asks for the form after its reply.
  ["@langchain/langgraph, responses", { make: (access) => langchain.graphAgent(true, FORMS)(access), formTurns: 2 }],
  [
    "@langchain/langgraph, chat completions",
    { make: (access) => langchain.graphAgent(false, FORMS)(access), formTurns: 2 },
  ],
]

/** Two calls at once, then one, then the reply, which repeats the last result. */
const ASKED = `[call lookupOrder {"id":"A-1"}]\n[and call lookupOrder {"id":"A-2"}]\n[call lookupOrder {"id":"A-3"}]`
const PNG =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const LONG = Array.from({ length: 20 }, (_, n) => `word${n}`).join(" ")
const never = new AbortController().signal

interface Cell extends Required<Row> {
  user: string
  client: PackageClient
}

async function useTool({ client }: Cell, isStreamed: boolean): Promise<void> {
  const asked: string[] = []
  const find = ({ id }: { id: string }) => {
    asked.push(id)
    return `It is ${id}.`
  }
  const reply = await client.withTool(ASKED, find, isStreamed)
  expect(asked).toEqual(["A-1", "A-2", "A-3"])
  for (const id of asked) expect(reply).toContain(`lookupOrder answered: It is ${id}.`)
}

/** The turn runs on after its caller has left, until it is cancelled. */
async function expectRunsOn(user: string): Promise<void> {
  const [turn] = await turnsOf(user)
  expect(turn?.state).toBe("running")
  await api("POST", `/v1/turns/${turn?.turn_id}/cancel`)
  await expect.poll(async () => (await turnsOf(user))[0]?.state).toBe("cancelled")
}

async function all(pieces: AsyncIterable<string>): Promise<string[]> {
  const read: string[] = []
  for await (const piece of pieces) if (piece !== "") read.push(piece)
  return read
}

type Capability = [name: string, prove: (cell: Cell) => Promise<void>, turns: (cell: Cell) => TurnState[]]

const CAPABILITIES: Capability[] = [
  [
    "a plain answer",
    async ({ client }) => expect(await client.reply("Hello", never)).toBe("You said: Hello"),
    () => ["done"],
  ],
  [
    "a stream",
    async ({ client }) => {
      const pieces = await all(client.stream(`[stream 20 ms]\n[reply ${LONG}]`, never))
      expect([pieces.join(""), pieces.length > 5]).toEqual([LONG, true])
    },
    () => ["done"],
  ],
  [
    "two parallel calls and their results over three rounds",
    (cell) => useTool(cell, false),
    () => ["done", "done", "done"],
  ],
  ["the same rounds as streams", (cell) => useTool(cell, true), () => ["done", "done", "done"]],
  [
    "a value with a schema",
    async ({ client }) => expect(await client.place("Where?")).toEqual(PLACE),
    ({ formTurns }) => Array<TurnState>(formTurns).fill("done"),
  ],
  [
    "an answer to an image",
    async ({ client }) => expect(await client.picture("Look", PNG)).toBe("You said: Look (with 1 file)"),
    () => ["done"],
  ],
  [
    "the error of a failed turn, once",
    ({ client, failure }) => expect(client.reply("[fail OUT_OF_STOCK]", never)).rejects.toThrow(failure),
    () => ["failed"],
  ],
  [
    "the error of a failed turn in a stream, once",
    ({ client, failure }) => expect(all(client.stream("[fail OUT_OF_STOCK]", never))).rejects.toThrow(failure),
    () => ["failed"],
  ],
  [
    "the error of a refused request",
    ({ make, user }) =>
      expect(make(accessOf(user, "spc_none")).reply("Hello", never)).rejects.toThrow(/no space "spc_none"/),
    () => [],
  ],
  [
    "its caller back when it aborts",
    async ({ client, user }) => {
      const { signal, abort } = abortable()
      const left = expect(client.reply("[think 60000 ms]", signal)).rejects.toThrow(/abort/i)
      await expect.poll(async () => (await turnsOf(user)).map(({ state }) => state)).toEqual(["running"])
      abort()
      await left
      await expectRunsOn(user)
    },
    () => ["cancelled"],
  ],
  [
    "its caller back when it aborts a stream",
    async ({ client, user }) => {
      const { signal, abort } = abortable()
      const read: string[] = []
      const reading = (async () => {
        for await (const piece of client.stream(`[stream 1000 ms]\n[reply ${LONG}]`, signal)) {
          read.push(piece)
          if (piece !== "") abort()
        }
      })()
      // Some packages end the loop, and others throw.
      await reading.catch((error) => expect(String(error)).toMatch(/abort/i))
      expect(LONG.startsWith(read.join("")) && read.join("") !== LONG).toBe(true)
      await expectRunsOn(user)
    },
    () => ["cancelled"],
  ],
]

function abortable() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: () => controller.abort() }
}

describe.each(PACKAGES)("The package %s", (name, row) => {
  test.each(CAPABILITIES)("It gets %s", async (capability, prove, turns) => {
    const user = `${name} ${capability}`.replace(/[^a-z0-9]+/gi, "-")
    const cell = { failure: CODE, formTurns: 1, ...row, user, client: row.make(accessOf(user)) }
    await prove(cell)
    await expectTurns(user, turns(cell))
  })
})

describe("Some packages can do more", () => {
  test("The package openai starts a response in the background, reads it, and cancels another one", async () => {
    const openai = clientOf(accessOf("openai-background"))
    const started = await openai.responses.create({ model, input: "Hello", background: true })
    await expect.poll(async () => (await openai.responses.retrieve(started.id)).status).toBe("completed")
    expect((await openai.responses.retrieve(started.id)).output_text).toBe("You said: Hello")
    const long = await openai.responses.create({ model, input: "[think 60000 ms]", background: true })
    await openai.responses.cancel(long.id)
    await expect.poll(async () => (await openai.responses.retrieve(long.id)).status).toBe("cancelled")
  })

  test("Its answers have the bill of their turn, and its streams the tokens", async () => {
    const openai = clientOf(accessOf("openai-usage"))
    const messages = [{ role: "user" as const, content: "Hello" }]
    const chat = await openai.chat.completions.create({ model, messages })
    const [bill] = await turnsOf("openai-usage")
    expect((chat as unknown as { turn: Turn }).turn.billed_cost_usd).toBe(bill?.billed_cost_usd)
    const chunks = openai.chat.completions.stream({ model, messages, stream_options: { include_usage: true } })
    expect((await chunks.totalUsage()).total_tokens).toBe(chat.usage?.total_tokens)
  })

  test.each([
    ["responses", ({ model, ...options }: Access) => createOpenAI(options).responses(model)],
    ["chat completions", ({ model, ...options }: Access) => createOpenAI(options).chat(model)],
  ])(
    "The package ai continues %s with its own messages, and gets a list and a stream with a form",
    async (name, of) => {
      const asked = { model: of(accessOf(`ai-more-${name.replace(" ", "-")}`)) }
      const first = await generateText({ ...asked, prompt: "Hello" })
      expect(first.usage.outputTokens).toBeGreaterThan(0)
      const [before, after] = ["Hello", "Goodbye"].map((content) => ({ role: "user" as const, content }))
      const messages = [before, ...first.response.messages, after].filter((message) => message !== undefined)
      expect((await generateText({ ...asked, messages })).text).toBe("You said: Goodbye (after 2 earlier messages)")
      const list = await generateText({ ...asked, prompt: "Where?", output: Output.array({ element: Place }) })
      // The rehearsal model leaves lists empty that are deep in a value.
      expect(list.output).toEqual([{ ...PLACE, tags: [] }])
      const streamed = streamText({ ...asked, prompt: "Where?", output: Output.object({ schema: Place }) })
      expect(await streamed.output).toEqual(PLACE)
    },
  )

  test("The runner of @openai/agents continues a conversation by the last response", async () => {
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: clientOf(accessOf("agents")) }) })
    const agent = new Agent({ name: "Support", model })
    const first = await runner.run(agent, "Hello")
    const second = await runner.run(agent, "Goodbye", { previousResponseId: first.lastResponseId as string })
    expect(second.finalOutput).toBe("You said: Goodbye (after 2 earlier messages)")
  })
})
