import { createAnthropic } from "@ai-sdk/anthropic"
import Anthropic from "@anthropic-ai/sdk"
import { generateText, isStepCount, type ModelMessage, Output, streamText, tool } from "ai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import * as z from "zod"
import type { Turn } from "../../src/turns/schemas.ts"
import { npmStart, type Started } from "../harness/npm-start.ts"

/** The packages are unmodified, and the service runs as a developer starts it. */
let service: Started
let model: string
beforeAll(async () => {
  service = await npmStart()
  const manifest = { builtin_tools: [] }
  model = String((await api("POST", "/v1/spaces", { title: "Support", manifest })).space_id)
})
afterAll(() => service?.stop())

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
const turnsOf = async (endUser: string) =>
  (await api("GET", `/v1/turns?end_user_ref=${endUser}&limit=100`)).data as Turn[]

/** All turns of the end user are done and billed, each in its own amount. */
async function expectBills(endUser: string, count: number): Promise<void> {
  const turns = await turnsOf(endUser)
  expect(turns.map(({ state, billed_cost_usd }) => [state, billed_cost_usd > 0])).toEqual(
    Array.from({ length: count }, () => ["done", true]),
  )
}

/** Cancels the open turn of an end user, as a client that has left cannot. */
async function expectCancelled(endUser: string): Promise<void> {
  const [turn] = await turnsOf(endUser)
  expect(turn?.state).toMatch(/queued|running/)
  await api("POST", `/v1/turns/${turn?.turn_id}/cancel`)
  await expect.poll(async () => (await turnsOf(endUser))[0]?.state).toBe("cancelled")
}

const LONG = Array.from({ length: 20 }, (_, n) => `word${n}`).join(" ")
const SLOW = `[stream 50 ms]\n[reply ${LONG}]`
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAIAQAAAADsdIMmAAAADklEQVR4nGNYxRDKgIQBIUQD/Ssjb98AAAAASUVORK5CYII="
/** Two calls in the first answer, one in the second, then the reply. */
const CALLS = `[call find {"id":"A-1"}]
[and call find {"id":"A-2"}]
[call find {"id":"A-3"}]
[reply All left.]`
/** A form, and the value that the rehearsal model answers. */
const Place = z.object({ city: z.string(), size: z.enum(["small", "large"]) })
const PLACE = { city: "text", size: "small" }

describe("The package @anthropic-ai/sdk", () => {
  const client = () =>
    new Anthropic({ apiKey: service.api_key, authToken: null, baseURL: `${service.base_url}/v1/anthropic` })
  const asked = (user: string, content: Anthropic.MessageParam["content"]) => ({
    model,
    max_tokens: 1_000,
    metadata: { user_id: user },
    messages: [{ role: "user" as const, content }],
  })

  test("It gets a message, a stream of it, and an image's", async () => {
    const user = "anthropic-text"
    const message = await client().messages.create(asked(user, "Hello"))
    expect(message).toMatchObject({ content: [{ type: "text", text: "You said: Hello" }], stop_reason: "end_turn" })
    expect(message.usage.output_tokens).toBeGreaterThan(0)
    const pieces: string[] = []
    const stream = client().messages.stream(asked(user, SLOW))
    stream.on("text", (piece) => pieces.push(piece))
    expect([await stream.finalText(), pieces.join("")]).toEqual([LONG, LONG])
    const source = { type: "base64" as const, media_type: "image/png" as const, data: PNG }
    await client().messages.create(
      asked(user, [
        { type: "image", source },
        { type: "text", text: "See" },
      ]),
    )
    expect((await turnsOf(user))[0]?.files).toHaveLength(1)
    await expectBills(user, 3)
  })

  test("Its own loop of tools calls two at once, and gets the reply after three rounds", async () => {
    const seen: string[] = []
    const run = async ({ id }: { id: string }) => {
      seen.push(id)
      return `Found ${id}.`
    }
    const find = {
      type: "custom" as const,
      name: "find",
      description: "Finds an order.",
      input_schema: { type: "object" as const, properties: { id: { type: "string" } }, required: ["id"] },
      run,
      parse: (content: unknown) => content as { id: string },
    }
    const final = await client().beta.messages.toolRunner({
      ...asked("anthropic-tools", CALLS),
      tools: [find],
      thread: false,
    })
    expect(final.content).toMatchObject([{ type: "text", text: "All left." }])
    expect(seen).toEqual(["A-1", "A-2", "A-3"])
    await expectBills("anthropic-tools", 3)
  })

  test("It gets a reply that fits a schema, an estimate of tokens, models, and typed errors", async () => {
    const schema = z.toJSONSchema(Place) as Record<string, unknown>
    const form = { output_config: { format: { type: "json_schema" as const, schema } } }
    const { content } = await client().messages.create({ ...asked("anthropic-form", "Where?"), ...form })
    expect(content[0]?.type === "text" && JSON.parse(content[0].text)).toEqual(PLACE)
    const { messages } = asked("anthropic-form", "Hello")
    expect((await client().messages.countTokens({ model, messages })).input_tokens).toBeGreaterThan(0)
    expect((await client().models.list()).data.map(({ id }) => id)).toContain(model)
    const none = client().messages.create({ ...asked("anthropic-form", "Hello"), model: "none" })
    await expect(none).rejects.toBeInstanceOf(Anthropic.NotFoundError)
    const failed = client().messages.create(asked("anthropic-failed", "[fail OUT_OF_STOCK]"))
    await expect(failed).rejects.toBeInstanceOf(Anthropic.BadRequestError)
    expect(await turnsOf("anthropic-failed")).toHaveLength(1)
  })

  test("A stream that it aborts leaves a turn that can be cancelled", async () => {
    const stream = client().messages.stream(asked("anthropic-cancel", "[think 60000 ms]"))
    stream.on("streamEvent", () => stream.abort())
    await expect(stream.finalMessage()).rejects.toBeInstanceOf(Anthropic.APIUserAbortError)
    await expectCancelled("anthropic-cancel")
  })
})

describe("The package @ai-sdk/anthropic with ai", () => {
  const of = () => createAnthropic({ apiKey: service.api_key, baseURL: `${service.base_url}/v1/anthropic/v1` })(model)
  const by = (user: string) => ({ model: of(), providerOptions: { anthropic: { metadata: { userId: user } } } })

  test("It gets text, streams, continues with its own messages, and sends an image", async () => {
    const user = "ai-anthropic"
    const first = await generateText({ ...by(user), prompt: "Hello" })
    expect([first.text, first.finishReason]).toEqual(["You said: Hello", "stop"])
    expect(first.usage.outputTokens).toBeGreaterThan(0)
    const { textStream, finishReason } = streamText({ ...by(user), prompt: SLOW })
    const pieces: string[] = []
    for await (const piece of textStream) pieces.push(piece)
    expect([pieces.join(""), await finishReason]).toEqual([LONG, "stop"])
    const messages: ModelMessage[] = [
      { role: "user", content: "Hello" },
      ...first.response.messages,
      {
        role: "user",
        content: [
          { type: "text", text: "Goodbye" },
          { type: "file", data: PNG, mediaType: "image/png" },
        ],
      },
    ]
    expect((await generateText({ ...by(user), messages })).text).toContain("You said: Goodbye")
    expect((await turnsOf(user))[0]?.files).toHaveLength(1)
    await expectBills(user, 3)
  })

  test("Its loop of tools calls two at once, whole and streamed, over three rounds", async () => {
    const seen: string[] = []
    const find = tool({
      description: "Finds an order.",
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        seen.push(id)
        return `Found ${id}.`
      },
    })
    const asked = { ...by("ai-anthropic-tools"), prompt: CALLS, tools: { find }, stopWhen: isStepCount(5) }
    const whole = await generateText(asked)
    expect([whole.text, whole.steps.length]).toEqual(["All left.", 3])
    const streamed = streamText({ ...asked, ...by("ai-anthropic-streamed") })
    for await (const _piece of streamed.textStream);
    expect([await streamed.text, (await streamed.steps).length]).toEqual(["All left.", 3])
    expect(seen).toEqual(["A-1", "A-2", "A-3", "A-1", "A-2", "A-3"])
    await expectBills("ai-anthropic-tools", 3)
    await expectBills("ai-anthropic-streamed", 3)
  })

  test("It gets an object, and an error with our code", async () => {
    const { model } = by("ai-anthropic-form")
    const asked = { model, prompt: "Where?", output: Output.object({ schema: Place }) }
    const providerOptions = { anthropic: { structuredOutputMode: "outputFormat" } }
    expect((await generateText({ ...asked, providerOptions })).output).toEqual(PLACE)
    const failing = generateText({ ...by("ai-anthropic-failed"), prompt: "[fail OUT_OF_STOCK]" })
    await expect(failing).rejects.toThrow("OUT_OF_STOCK")
    expect(await turnsOf("ai-anthropic-failed")).toHaveLength(1)
  })

  test("A stream that it aborts leaves a turn that can be cancelled", async () => {
    const leaving = new AbortController()
    const { fullStream } = streamText({
      ...by("ai-anthropic-cancel"),
      prompt: "[think 60000 ms]",
      abortSignal: leaving.signal,
      includeRawChunks: true,
    })
    for await (const part of fullStream) if (part.type === "raw") leaving.abort()
    await expectCancelled("ai-anthropic-cancel")
  })
})
