import type OpenAI from "openai"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { openAiOf, turnIn } from "../harness/openai-clients.ts"
import { expectPromises } from "../harness/promises.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

let world: World
let client: TestClient
let model: string
beforeAll(async () => {
  world = await createWorld()
  client = await world.createAccount()
  model = await client.space({ title: "Support" })
})
afterAll(() => world.close())

describe("A stream", () => {
  const words = Array.from({ length: 30 }, (_, n) => `word${n}`).join(" ")
  const input = `[stream 100 ms]\n[reply ${words}]`

  /** All events of a stream, while its turn runs and time passes. */
  async function readAll(stream: Promise<AsyncIterable<OpenAI.Responses.ResponseStreamEvent>>) {
    const events: OpenAI.Responses.ResponseStreamEvent[] = []
    const reading = (async () => {
      for await (const event of await stream) events.push(event)
    })()
    await world.untilAnswered(reading)
    return events
  }

  test("A stream has OpenAI's events in their order, numbered without gaps, and ends with the whole response", async () => {
    const direct = openAiOf(world, client, { through: world.invoke })
    const events = await readAll(direct.responses.create({ model, input, user: "customer-1", stream: true }))
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, at) => at))
    const types = events.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])
    expect(types).toEqual([
      "response.created",
      "response.queued",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.delta",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ])
    const deltas = events.flatMap((event) => (event.type === "response.output_text.delta" ? [event.delta] : []))
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join("")).toBe(words)
    const last = events.at(-1)
    if (last?.type !== "response.completed") throw new Error("no end")
    expect(last.response).toMatchObject({ status: "completed", usage: { output_tokens: expect.any(Number) } })
    expect(turnIn(last.response).billed_cost_usd).toBeGreaterThan(0)

    const again = await readAll(direct.responses.retrieve(last.response.id, { stream: true, starting_after: 4 }))
    const shape = (all: typeof events) => all.map(({ type, sequence_number }) => [type, sequence_number])
    expect(shape(again)).toEqual(shape(events).slice(5))
  })

  test("The stream of a failed turn ends with error and response.failed, which say that a repeat does not help", async () => {
    const body = { model, input: "[fail OUT_OF_STOCK]", user: "customer-1", stream: true }
    const response = await world.untilAnswered(client.call("POST", "/v1/openai/responses", body))
    const lines = (await world.untilAnswered(response.text())).split("\n").filter((line) => line.startsWith("data: "))
    const events = lines.map((line) => JSON.parse(line.slice("data: ".length)) as Record<string, unknown>)
    const [error, failed] = events.slice(-2)
    const fields = { code: "OUT_OF_STOCK", message: "Rehearsed: the turn fails with OUT_OF_STOCK.", param: null }
    const whole = { type: "invalid_request_error", ...fields }
    const sequence_number = events.length - 2
    expect(error).toEqual({ type: "error", sequence_number, ...fields, error: whole })
    expect(failed).toMatchObject({
      type: "response.failed",
      sequence_number: sequence_number + 1,
      response: { status: "failed", error: whole },
    })
    const reading = openAiOf(world, client)
      .responses.stream({ model, input: body.input, user: body.user })
      .finalResponse()
    await expect(world.untilAnswered(reading)).rejects.toMatchObject({ code: "OUT_OF_STOCK" })
  })

  test("A reader that leaves ends nothing: the turn is done and billed, and a repeat streams it again", async () => {
    const body = { model, input: "Bye", user: "customer-1", stream: true }
    const send = () => client.call("POST", "/v1/openai/responses", body, { "idempotency-key": "a stream" })
    const response = await send()
    expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8")
    expect(response.headers.get("idempotent-replayed")).toBeNull()
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    const first = new TextDecoder().decode((await reader.read()).value)
    expect(first).toMatch(/^event: response\.created\ndata: \{"type":"response\.created","sequence_number":0,/)
    await passTime(world, Promise.all([reader.cancel(), world.drain()]))
    const again = await send()
    expect(again.headers.get("idempotent-replayed")).toBe("true")
    expect(await again.text()).toMatch(/event: response\.completed\ndata: .*"text":"You said: Bye".*\n\n$/)
    await expectPromises(world, client.userId)
  })
})
