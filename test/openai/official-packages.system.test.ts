import { createServer, request as httpRequest, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { createOpenAI } from "@ai-sdk/openai"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { Agent, OpenAIProvider, Runner, setTracingDisabled } from "@openai/agents"
import { generateText, Output, streamText } from "ai"
import OpenAI from "openai"
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** The packages are unmodified, and the service runs as a developer starts it. */
let service: Started
let proxy: Awaited<ReturnType<typeof serveLossy>>
let model: string
beforeAll(async () => {
  service = await npmStart()
  proxy = await serveLossy(service.base_url)
  model = String((await api("POST", "/v1/spaces", { title: "Support" })).space_id)
  setTracingDisabled(true)
})
afterAll(() => Promise.all([proxy?.close(), service?.stop()]))

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(service.base_url + path, {
    method,
    headers: { authorization: `Bearer ${service.api_key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Record<string, unknown>
}

/** The turns of an end user, newest first. */
async function turnsOf(endUser: string): Promise<Turn[]> {
  return (await api("GET", `/v1/turns?end_user_ref=${endUser}&limit=100`)).data as Turn[]
}

/** All turns of the end user are billed, each in its own amount. */
async function expectBills(endUser: string, count: number): Promise<void> {
  const turns = await turnsOf(endUser)
  expect(turns.length, endUser).toBe(count)
  for (const { state, billed_cost_usd, usage } of turns) {
    expect([state, billed_cost_usd > 0, usage.model_calls]).toEqual(["done", true, 1])
  }
  const { billed_usd } = await api("GET", `/v1/end-users/${endUser}`)
  const sum = turns.reduce((total, { billed_cost_usd }) => total + billed_cost_usd, 0)
  expect(billed_usd).toBeCloseTo(sum, 7)
}

const LONG = Array.from({ length: 20 }, (_, n) => `word${n}`).join(" ")
const SLOW = `[stream 50 ms]\n[reply ${LONG}]`
const client = (baseURL = service.base_url) => new OpenAI({ apiKey: service.api_key, baseURL: `${baseURL}/v1/openai` })

/** A proxy that, on request, cuts the connection instead of passing on an answer. */
async function serveLossy(target: string) {
  let cuts = 0
  const server: Server = createServer((request, response) => {
    const cut = () => request.socket.destroy()
    const { method, headers } = request
    const sent = httpRequest(target + request.url, { method, headers, agent: false }, async (answer) => {
      const chunks: Buffer[] = []
      for await (const chunk of answer) chunks.push(chunk as Buffer)
      if (cuts-- > 0) return cut()
      return response.writeHead(answer.statusCode ?? 502, answer.headers).end(Buffer.concat(chunks))
    })
    sent.once("error", cut)
    request.pipe(sent)
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut(count: number) {
      cuts = count
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(closed)
      }),
  }
}

/** A form, and the value that the rehearsal model answers. */
const Place = z.object({ city: z.string(), size: z.enum(["small", "large"]), tags: z.array(z.string()) })
const PLACE = { city: "text", size: "small", tags: ["text"] }

describe("The package openai", () => {
  test("It parses a result with a form over both operations", async () => {
    const user = "openai-form"
    const text = { format: zodTextFormat(Place, "place") }
    const response = await client().responses.parse({ model, input: "Where?", user, text })
    expect(response.output_parsed).toEqual(PLACE)
    const completion = await client().chat.completions.parse({
      model,
      user,
      messages: [{ role: "user", content: "Where?" }],
      response_format: zodResponseFormat(Place, "place"),
    })
    expect(completion.choices[0]?.message.parsed).toEqual(PLACE)
    await expectBills(user, 2)
  })

  test("It gets text, a stream, and a chat with the tokens of each, and every turn is billed", async () => {
    const user = "openai-text"
    const response = await client().responses.create({ model, input: "Hello", safety_identifier: user })
    expect(response.output_text).toBe("You said: Hello")
    const stream = client().responses.stream({ model, input: SLOW, safety_identifier: user })
    let text = ""
    stream.on("response.output_text.delta", ({ delta }) => {
      text += delta
    })
    const final = await stream.finalResponse()
    expect([text, final.output_text, final.status]).toEqual([LONG, LONG, "completed"])
    const messages = [{ role: "user" as const, content: "Hello" }]
    const chat = await client().chat.completions.create({ model, user, messages })
    expect(chat.choices[0]?.message.content).toBe("You said: Hello")
    const chunks = client().chat.completions.stream({ model, user, messages, stream_options: { include_usage: true } })
    expect(await chunks.finalContent()).toBe("You said: Hello")
    expect((await chunks.totalUsage()).total_tokens).toBe(chat.usage?.total_tokens)
    await expectBills(user, 4)
    const [bill] = (await turnsOf(user)).slice(-1)
    expect((response as unknown as { turn: Turn }).turn.billed_cost_usd).toBe(bill?.billed_cost_usd)
  })

  test("It starts a response in the background, reads it, and cancels another one", async () => {
    const openai = client()
    const user = "openai-background"
    const started = await openai.responses.create({ model, input: "Hello", user, background: true })
    await expect.poll(async () => (await openai.responses.retrieve(started.id)).status).toBe("completed")
    expect((await openai.responses.retrieve(started.id)).output_text).toBe("You said: Hello")
    const long = await openai.responses.create({ model, input: "[think 60000 ms]", user, background: true })
    await openai.responses.cancel(long.id)
    await expect.poll(async () => (await openai.responses.retrieve(long.id)).status).toBe("cancelled")
  })

  test.each([
    ["responses", (openai: OpenAI, user: string) => openai.responses.create({ model, input: "Hello", user })],
    [
      "chat completions",
      (openai: OpenAI, user: string) =>
        openai.chat.completions.create({ model, user, messages: [{ role: "user", content: "Hello" }] }),
    ],
  ])("Its own retries of %s after two lost answers make no second turn", async (name, send) => {
    const user = `openai-retry-${name.replace(" ", "-")}`
    proxy.cut(2)
    await send(client(proxy.url), user)
    await expectBills(user, 1)
  })
})

describe("The package @ai-sdk/openai", () => {
  const provider = () => createOpenAI({ apiKey: service.api_key, baseURL: `${service.base_url}/v1/openai` })

  test.each([
    ["responses", () => provider().responses(model)],
    ["chat completions", () => provider().chat(model)],
  ])("It gets text and streams over %s, and continues with its own messages", async (name, of) => {
    const user = `ai-sdk-${name.replace(" ", "-")}`
    const providerOptions = { openai: { user } }
    const first = await generateText({ model: of(), prompt: "Hello", providerOptions })
    expect(first.text).toBe("You said: Hello")
    expect(first.usage.outputTokens).toBeGreaterThan(0)
    const { textStream, finishReason } = streamText({ model: of(), prompt: SLOW, providerOptions })
    const pieces: string[] = []
    for await (const piece of textStream) pieces.push(piece)
    expect([pieces.join(""), await finishReason]).toEqual([LONG, "stop"])
    const messages = [
      { role: "user" as const, content: "Hello" },
      ...first.response.messages,
      { role: "user" as const, content: "Goodbye" },
    ]
    const second = await generateText({ model: of(), messages, providerOptions })
    expect(second.text).toBe("You said: Goodbye (after 2 earlier messages)")
    await expectBills(user, 3)
  })

  test.each([
    ["@ai-sdk/openai, responses", () => provider().responses(model)],
    ["@ai-sdk/openai, chat completions", () => provider().chat(model)],
    [
      "@ai-sdk/openai-compatible",
      () =>
        createOpenAICompatible({
          name: "turnpike",
          apiKey: service.api_key,
          baseURL: `${service.base_url}/v1/openai`,
          headers: { "Turnpike-End-User": "ai-sdk-forms" },
          supportsStructuredOutputs: true,
        })(model),
    ],
  ])("With %s it gets an object, a list, and a stream of an object", async (_name, of) => {
    const providerOptions = { openai: { user: "ai-sdk-forms" } }
    const asked = { model: of(), prompt: "Where?", providerOptions }
    const { output } = await generateText({ ...asked, output: Output.object({ schema: Place }) })
    expect(output).toEqual(PLACE)
    const list = await generateText({ ...asked, output: Output.array({ element: Place }) })
    // The rehearsal model leaves lists empty that are deep in a value.
    expect(list.output).toEqual([{ ...PLACE, tags: [] }])
    const streamed = streamText({ ...asked, output: Output.object({ schema: Place }) })
    for await (const _piece of streamed.textStream);
    expect(await streamed.output).toEqual(PLACE)
  })
})

describe("The framework @openai/agents", () => {
  test("Its runner gets a reply, streams one, and continues a conversation by the last response", async () => {
    const user = "agents"
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client() }) })
    const agent = new Agent({ name: "Support", model, modelSettings: { providerData: { user } } })
    const first = await runner.run(agent, "Hello")
    expect(first.finalOutput).toBe("You said: Hello")
    const second = await runner.run(agent, "Goodbye", { previousResponseId: first.lastResponseId as string })
    expect(second.finalOutput).toBe("You said: Goodbye (after 2 earlier messages)")
    const streamed = await runner.run(agent, SLOW, { stream: true })
    let text = ""
    for await (const piece of streamed.toTextStream()) text += piece
    expect([text, streamed.finalOutput]).toEqual([LONG, LONG])
    await expectBills(user, 3)
  })

  test("Its agent with an output type gets a value", async () => {
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient: client() }) })
    const modelSettings = { providerData: { user: "agents-form" } }
    const agent = new Agent({ name: "Support", model, modelSettings, outputType: Place })
    expect((await runner.run(agent, "Where?")).finalOutput).toEqual(PLACE)
    await expectBills("agents-form", 1)
  })
})
