import { execFile } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { createServer, request as httpRequest, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createOpenAI } from "@ai-sdk/openai"
import { generateText } from "ai"
import OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

const run = promisify(execFile)

/**
 * Frameworks repeat requests in their own ways. Each turn and each call of the model's provider is counted, and the
 * packages are unmodified.
 */
let provider: Awaited<ReturnType<typeof serveProvider>>
let proxy: Awaited<ReturnType<typeof serveLossy>>
let service: Started
let folder: string
let model: string
beforeAll(async () => {
  provider = await serveProvider()
  folder = await mkdtemp(join(tmpdir(), "turnpike-langchain-"))
  await cp(join(import.meta.dirname, "langchain"), folder, { recursive: true })
  const env = { OPENAI_BASE_URL: `${provider.url}/v1`, TURNPIKE_MODEL: "m1" }
  ;[service] = await Promise.all([npmStart(undefined, undefined, env), run("npm", ["ci"], { cwd: folder })])
  proxy = await serveLossy(service.base_url)
  const { space_id } = await api("POST", "/v1/spaces", { title: "Support", manifest: { builtin_tools: [] } })
  model = String(space_id)
})
afterAll(async () => {
  await service?.stop()
  await provider?.close()
  await proxy?.close()
  if (folder) await rm(folder, { recursive: true, force: true })
})

async function api(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const response = await fetch(service.base_url + path, {
    method,
    headers: { authorization: `Bearer ${service.api_key}`, "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
  return (await response.json()) as Record<string, unknown>
}

/** A provider whose answer depends on the text. "filtered" is refused, and "slow" waits until `release` is called. */
async function serveProvider() {
  const asked: string[] = []
  let release = () => {}
  const released = { promise: Promise.resolve() }
  const server: Server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { messages } = JSON.parse(Buffer.concat(chunks).toString()) as { messages: { content: unknown }[] }
    const text = JSON.stringify(messages.at(-1)?.content)
    asked.push(text)
    const answer = text.includes("no form") ? "Bonn" : text.includes("Bonn") ? '{"city":"Bonn"}' : "Hi."
    if (text.includes("slow")) await released.promise
    const frame = (choices: object[], more: object = {}) =>
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", model: "m1", choices, ...more })}\n\n`
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(frame([{ index: 0, delta: { role: "assistant", content: answer } }]))
    response.write(
      frame([{ index: 0, delta: {}, finish_reason: text.includes("filtered") ? "content_filter" : "stop" }]),
    )
    response.write(frame([], { usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } }))
    response.end("data: [DONE]\n\n")
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** How often a text with this word was asked. */
    count: (word: string) => asked.filter((text) => text.includes(word)).length,
    /** Slow answers wait until the returned function is called. */
    hold() {
      const { promise, resolve } = Promise.withResolvers<void>()
      released.promise = promise
      release = resolve
      return () => release()
    },
    close: () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(closed)
      }),
  }
}

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

/** The end user's turns and bill. */
async function billsOf(endUser: string) {
  const turns = (await api("GET", `/v1/turns?end_user_ref=${endUser}&limit=100`)).data as Turn[]
  return turns.map(({ state, usage, billed_cost_usd }) => [state, usage.model_calls, billed_cost_usd > 0])
}

async function langchain(text: string, endUser: string, options: object = {}, schema?: object) {
  const env = {
    ...process.env,
    BASE_URL: service.base_url,
    API_KEY: service.api_key,
    MODEL: model,
    END_USER: endUser,
    TEXT: text,
    OPTIONS: JSON.stringify(options),
    ...(schema && { SCHEMA: JSON.stringify(schema) }),
  }
  const { stdout } = await run(process.execPath, ["ask.mjs"], { cwd: folder, env })
  return JSON.parse(stdout) as { reply?: string; output?: unknown; status?: number }
}

const openai = (options: object = {}) =>
  new OpenAI({ apiKey: service.api_key, baseURL: `${service.base_url}/v1/openai`, ...options })
const chatWith = (client: OpenAI, content: string, user: string) =>
  client.chat.completions.create({ model, user, messages: [{ role: "user", content }] })
const aiSdk = (prompt: string, user: string, more: object = {}) =>
  generateText({
    model: createOpenAI({ apiKey: service.api_key, baseURL: `${service.base_url}/v1/openai` }).chat(model),
    prompt,
    providerOptions: { openai: { user } },
    ...more,
  })

test("LangChain.js gets a structured output, also one that was corrected, in one turn", async () => {
  const schema = { type: "object", properties: { city: { type: "string" } }, required: ["city"] }
  expect(await langchain("In Bonn?", "lc-form", {}, schema)).toEqual({ output: { city: "Bonn" } })
  // The question that corrects it quotes the answer.
  expect(await langchain("In Bonn, with no form", "lc-corrected", {}, schema)).toEqual({ output: { city: "Bonn" } })
  expect([await billsOf("lc-form"), await billsOf("lc-corrected")]).toEqual([[["done", 1, true]], [["done", 2, true]]])
})

describe("A turn that fails is not repeated", () => {
  test("LangChain.js, with its six retries, makes one turn of a filtered answer", async () => {
    expect(await langchain("filtered by langchain", "lc-filtered")).toMatchObject({ status: 400 })
    expect(await billsOf("lc-filtered")).toEqual([["failed", 1, true]])
    expect(provider.count("filtered by langchain")).toBe(1)
  })

  test("LangChain.js does not repeat a field that is refused", async () => {
    expect(await langchain("never sent", "lc-refused", { maxTokens: 1_000_000 })).toMatchObject({ status: 400 })
    expect(await billsOf("lc-refused")).toEqual([])
  })

  test("The packages openai and ai make one turn of a filtered answer", async () => {
    await expect(chatWith(openai(), "filtered by openai", "oa-filtered")).rejects.toMatchObject({ status: 400 })
    await expect(aiSdk("filtered by ai", "ai-filtered")).rejects.toMatchObject({ statusCode: 400 })
    expect([await billsOf("oa-filtered"), await billsOf("ai-filtered")]).toEqual([
      [["failed", 1, true]],
      [["failed", 1, true]],
    ])
    expect([provider.count("filtered by openai"), provider.count("filtered by ai")]).toEqual([1, 1])
  })
})

/** Longer than any machine needs to accept a turn, so that the first try arrives before its caller gives up. */
const PATIENCE_MS = 8_000

describe("Tries that time out while their turn runs make one turn with one bill", () => {
  test.each<[string, string, (text: string, user: string) => Promise<void>]>([
    [
      "LangChain.js",
      "lc-slow",
      async (text, user) => {
        const { reply } = await langchain(text, user, { timeout: PATIENCE_MS, maxRetries: 2 })
        expect(reply).toBeUndefined()
      },
    ],
    [
      "openai",
      "oa-slow",
      async (text, user) => {
        const client = openai({ timeout: PATIENCE_MS, maxRetries: 2 })
        await expect(chatWith(client, text, user)).rejects.toThrow("timed out")
      },
    ],
    [
      "ai",
      "ai-slow",
      async (text, user) => {
        for (let tries = 0; tries < 3; tries++) {
          const abortSignal = AbortSignal.timeout(PATIENCE_MS)
          await expect(aiSdk(text, user, { abortSignal, maxRetries: 0 })).rejects.toThrow()
        }
      },
    ],
  ])("With the package %s", async (_package, user, send) => {
    const text = `slow for ${user}`
    const release = provider.hold()
    await send(text, user)
    release()
    await expect.poll(() => billsOf(user)).toEqual([["done", 1, true]])
    expect(provider.count(text)).toBe(1)
  })
})

test.each([
  ["responses", (client: OpenAI, user: string) => client.responses.create({ model, input: "Hello", user })],
  ["chat completions", (client: OpenAI, user: string) => chatWith(client, "Hello", user)],
])("After two lost answers, the retries of %s by the package openai make no second turn", async (name, send) => {
  const user = `oa-lost-${name.replace(" ", "-")}`
  proxy.cut(2)
  await send(openai({ baseURL: `${proxy.url}/v1/openai` }), user)
  expect(await billsOf(user)).toEqual([["done", 1, true]])
})
