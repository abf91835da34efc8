import { generateText, isStepCount, Output, streamText, tool } from "ai"
import { describe, expect, test } from "vitest"
import * as z from "zod"
import { connected, errorOf } from "./connected.ts"

const { client, space, provider, modelOf, turnsOf } = connected()

const LONG = Array.from({ length: 20 }, (_, n) => `word${n}`).join(" ")
const Place = z.object({ city: z.string(), size: z.enum(["small", "large"]), tags: z.array(z.string()) })
const PLACE = { city: "text", size: "small", tags: ["text"] }

describe("Text", () => {
  test("A whole call gets a reply with its tokens, and the metadata has the exact bill of the turn", async () => {
    const { text, usage, finishReason, providerMetadata, response } = await generateText({
      model: modelOf("text"),
      instructions: "Be brief.",
      prompt: "[use input=1200 cached=200 output=300]\nHello",
    })
    expect([text, finishReason]).toEqual(["You said: Hello", "stop"])
    const [turn, ...others] = await turnsOf("text")
    expect(others).toEqual([])
    expect(usage).toMatchObject({
      inputTokens: 1200,
      inputTokenDetails: { noCacheTokens: 1000, cacheReadTokens: 200 },
      outputTokens: 300,
      outputTokenDetails: { textTokens: 300, reasoningTokens: 0 },
    })
    expect(turn?.billed_cost_usd).toBeGreaterThan(0)
    expect(providerMetadata?.turnpike).toMatchObject({
      turnId: turn?.turn_id,
      conversation: turn?.conversation,
      costUsd: turn?.billed_cost_usd,
      endUserChargeUsd: null,
    })
    expect(response.id).toBe(turn?.turn_id)
  })

  test("A stream gets the words while they are written, and the same metadata at the end", async () => {
    const { textStream, finishReason, finalStep } = streamText({
      model: modelOf("stream"),
      prompt: `[stream 50 ms]\n[reply ${LONG}]`,
    })
    const pieces: string[] = []
    for await (const piece of textStream) pieces.push(piece)
    expect([pieces.join(""), await finishReason]).toEqual([LONG, "stop"])
    expect(pieces.length).toBeGreaterThan(5)
    const [turn] = await turnsOf("stream")
    expect((await finalStep).providerMetadata?.turnpike).toMatchObject({ costUsd: turn?.billed_cost_usd })
  })

  test("A chat that is sent whole reaches the model as messages, and one with a conversation only with the new one", async () => {
    const messages = [
      { role: "user" as const, content: "Hello" },
      { role: "assistant" as const, content: "Good day." },
      { role: "user" as const, content: "Goodbye" },
    ]
    const whole = await generateText({ model: modelOf("chat"), messages })
    expect(whole.text).toBe("You said: Goodbye (after 2 earlier messages)")
    const model = provider()(space(), { endUser: "chat", conversation: "ticket-7" })
    await generateText({ model, prompt: "Hello" })
    const kept = await generateText({ model, instructions: "Be brief.", messages })
    expect(kept.text).toBe("You said: Goodbye (after 2 earlier messages)")
    const turn = (await turnsOf("chat")).at(-1)
    const sent = await client().turns.getMessages(turn?.turn_id ?? "")
    expect(sent.messages).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: "Goodbye" },
    ])
  })

  test("The options of a call name the end user, the limits and the metadata of its turn", async () => {
    const turnpike = {
      endUser: "options",
      maxCostUsd: 0.5,
      timeoutSeconds: 60,
      metadata: { ticket: "7" },
      store: false,
    }
    await generateText({
      model: modelOf("another"),
      prompt: "Hello",
      maxOutputTokens: 100,
      temperature: 0.2,
      stopSequences: ["END"],
      reasoning: "xhigh",
      providerOptions: { turnpike },
    })
    expect(await turnsOf("options")).toMatchObject([
      {
        max_cost_usd: 0.5,
        metadata: { ticket: "7" },
        store: false,
        max_output_tokens: 100,
        temperature: 0.2,
        stop: ["END"],
        reasoning: { effort: "high" },
      },
    ])
  })
})

describe("Tools", () => {
  const asked: string[] = []
  const tools = {
    find_my_order: tool({
      description: "Finds an order by its id.",
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }) => {
        asked.push(id)
        if (id === "E") throw new Error("There is no such order.")
        return { id, status: "shipped" }
      },
    }),
  }
  const call = (id: string) => `call find_my_order {"id":"${id}"}`
  const prompt = `[${call("A")}]\n[and ${call("B")}]\n[${call("C")}]\n[and ${call("D")}]\n[${call("E")}]\n[and ${call("F")}]`

  /** Each turn of three rounds continues the one before, and each has its bill. */
  async function expectRounds(endUser: string, text: string) {
    expect(asked.splice(0)).toEqual(["A", "B", "C", "D", "E", "F"])
    expect(text).toContain("no such order")
    const turns = await turnsOf(endUser)
    expect(turns.map(({ finish, calls }) => [finish, calls.length])).toEqual([
      ["tool_calls", 2],
      ["tool_calls", 2],
      ["tool_calls", 2],
      ["stop", 0],
    ])
    expect(new Set(turns.map(({ conversation }) => conversation)).size).toBe(1)
    const { messages } = await client().turns.getMessages(turns.at(-1)?.turn_id ?? "")
    const ids = turns[2]?.calls.map(({ id }) => id)
    expect(messages).toEqual([
      {
        role: "tool",
        results: [
          { id: ids?.[0], error: expect.stringContaining("no such order") },
          { id: ids?.[1], output: '{"id":"F","status":"shipped"}' },
        ],
      },
    ])
    return turns.reduce((sum, { billed_cost_usd }) => sum + billed_cost_usd, 0)
  }

  const costOf = (steps: { providerMetadata: unknown }[]) =>
    steps.reduce((sum, step) => sum + (step.providerMetadata as { turnpike: { costUsd: number } }).turnpike.costUsd, 0)

  test("A whole call carries out two parallel calls in each of three rounds, which continue one exchange", async () => {
    const result = await generateText({ model: modelOf("rounds"), prompt, tools, stopWhen: isStepCount(5) })
    expect(await expectRounds("rounds", result.text)).toBeCloseTo(costOf(result.steps), 7)
  })

  test("A stream carries out the same calls", async () => {
    const result = streamText({ model: modelOf("stream-rounds"), prompt, tools, stopWhen: isStepCount(5) })
    const text = await result.text
    expect(await expectRounds("stream-rounds", text)).toBeCloseTo(costOf(await result.steps), 7)
  })

  test("An answer that is generated again from the same results, and a chat that was changed, are sent whole", async () => {
    const model = modelOf("again")
    const first = await generateText({ model, prompt: `[${call("A")}]`, tools, stopWhen: isStepCount(1) })
    const messages = [{ role: "user" as const, content: `[${call("A")}]` }, ...first.responseMessages]
    for (const _time of [1, 2]) {
      const { text } = await generateText({ model, messages, tools })
      expect(text).toContain("shipped")
    }
    const changed = await generateText({ model, instructions: "Be brief.", messages, tools })
    expect(changed.text).toContain("shipped")
    const turns = await turnsOf("again")
    expect(new Set(turns.map(({ conversation }) => conversation)).size).toBe(3)
    expect(turns).toHaveLength(4)
    asked.splice(0)
  })
})

describe("Results with a form and files", () => {
  test("An object comes whole and in a stream, and its schema is checked by the service", async () => {
    const asking = { model: modelOf("object"), prompt: "Where?", output: Output.object({ schema: Place }) }
    expect((await generateText(asking)).output).toEqual(PLACE)
    const streamed = streamText(asking)
    for await (const _piece of streamed.textStream);
    expect(await streamed.output).toEqual(PLACE)
    expect(await turnsOf("object")).toMatchObject([{ output: PLACE }, { output: PLACE }])
  })

  test("Images of bytes and files of the space reach the turn, and a URL of a private network is refused", async () => {
    const model = modelOf("files")
    const pixel = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    )
    const { file_id } = await client().files.upload(space(), { name: "order.txt", data: "A-1" })
    const text = { type: "text" as const, text: "What is it?" }
    const { text: reply } = await generateText({
      model,
      messages: [
        {
          role: "user",
          content: [
            text,
            { type: "file", data: new Uint8Array(pixel), mediaType: "image" },
            { type: "file", data: { type: "reference", reference: { turnpike: file_id } }, mediaType: "text/plain" },
          ],
        },
      ],
    })
    expect(reply).toBe("You said: What is it? (with 2 files)")
    const [turn] = await turnsOf("files")
    const files = await Promise.all((turn?.files ?? []).map((id) => client().files.get(id)))
    expect(files.map(({ media_type }) => media_type).sort()).toEqual(["image/png", "text/plain"])
    const url = new URL("http://127.0.0.1:9/pixel.png")
    const error = await errorOf(
      generateText({
        model,
        messages: [{ role: "user", content: [text, { type: "file", data: url, mediaType: "image/png" }] }],
      }),
    )
    expect(error.isRetryable).toBe(false)
    expect(await turnsOf("files")).toHaveLength(1)
  })
})
