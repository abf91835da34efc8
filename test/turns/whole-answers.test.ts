import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  chunk,
  counts,
  ends,
  messageStart,
  type RecordedStream,
  said,
  texts,
  toolCall,
  usage,
  used,
} from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const CLAUDE = "anthropic/claude"

let world: World
let asked: { messages: { role: string; content: unknown }[] }[] = []
/** The frames of the provider's n-th answer in a test. */
let answers: (n: number) => (object | string)[] = () => []
beforeAll(async () => {
  const env = { OPENAI_BASE_URL: PROVIDER_URL, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: PROVIDER_URL }
  world = await createWorld({ env })
  await addModel(world)
  await addModel(world, CLAUDE)
  world.serve("model.test", async (request) => {
    const engine: RecordedStream["engine"] = request.url.endsWith("/messages") ? "anthropic" : "openai-compatible"
    asked.push(await request.json())
    const bytes = bytesOfFrames({ engine, frames: answers(asked.length - 1) })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
})
afterAll(() => world.close())

const whole = (content: string) => [chunk({ content }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
/** The cost of such an answer, in credit micros. */
const COST = 20 * 30 + 10 * 150
const micros = (usd: number) => Math.round(usd * 1e7)

/** Runs a turn to its end, and skips the waits between its tries. */
async function run(client: TestClient, body: Record<string, unknown> = {}) {
  asked = []
  const response = await client.sendTurn({ space: await client.space(), model: PROVIDED_PIN, ...body })
  const { turn_id } = (await response.json()) as { turn_id: string }
  for (let round = 0; round < 12; round++) {
    await passTime(world, world.drain(), 1000)
    const turn = await client.getTurn(turn_id)
    if (turn.finished_at !== null) return turn
    await world.advance(61_000)
    await world.sweep()
  }
  throw new Error("the turn does not end")
}

const lossesOf = (turnId: string) =>
  world.sql<{ cause: string; micros: number }>(
    "select cause, credit_micros::float8 as micros from losses where turn_id = $1",
    [turnId],
  )

describe("An answer that is not whole", () => {
  test.each<[string, (object | string)[]]>([
    ["a tool that is announced and does not come", [chunk({}, "tool_calls"), counts(usage(20, 10)), "[DONE]"]],
    ["counted output without any part", [chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]],
    ["an abort", [chunk({ role: "assistant" }), chunk({}, "abort"), counts(usage(20, 10)), "[DONE]"]],
    [
      "an error without the key error",
      [{ object: "error", message: "broken", type: "InternalServerError", code: 500 }],
    ],
    ["an unknown reason", [chunk({ reasoning_content: "Hm." }), chunk({}, "time_limit"), counts(usage(20, 10))]],
  ])("It is tried again, and only the whole answer is billed: %s", async (_what, broken) => {
    answers = (n) => (n === 0 ? broken : whole("Here it is."))
    const client = await world.createAccount()
    const turn = await run(client)
    expect(turn).toMatchObject({ state: "done", result: "Here it is.", usage: { model_calls: 1 } })
    expect(micros(turn.billed_cost_usd)).toBe(COST)
    expect(asked).toHaveLength(2)
    await expectPromises(world, client.userId)
  })

  test("Text that a reader has seen is kept, continued and not billed, and its cost is our loss", async () => {
    answers = (n) => (n === 0 ? [...texts(), chunk({}, "abort"), counts(usage(20, 10)), "[DONE]"] : whole(" And more."))
    const client = await world.createAccount()
    const turn = await run(client)
    expect(turn).toMatchObject({ state: "done", result: "Hello there. And more." })
    expect(micros(turn.billed_cost_usd)).toBe(COST)
    expect(await lossesOf(turn.turn_id)).toEqual([{ cause: "unfinished", micros: COST }])
    await expectPromises(world, client.userId)
  })

  test("If it stays so, the turn fails and costs nothing", async () => {
    answers = () => [chunk({}, "tool_calls"), counts(usage(20, 10)), "[DONE]"]
    const client = await world.createAccount()
    const turn = await run(client)
    expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_UNAVAILABLE" }, billed_cost_usd: 0 })
    expect(asked).toHaveLength(TURN_POLICY.maxModelFailures)
    await expectPromises(world, client.userId)
  })
})

describe("An answer without text and calls", () => {
  const thinks = [chunk({ reasoning_content: "Hm." }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
  const nothing = [chunk({ role: "assistant", content: "" }), chunk({}, "stop"), counts(usage(20, 0)), "[DONE]"]

  test.each([
    ["only reasoning", thinks],
    ["nothing", nothing],
  ])("The model is asked again, and its answer ends the turn: %s", async (_what, empty) => {
    answers = (n) => (n === 0 ? empty : whole("Here it is."))
    const client = await world.createAccount()
    const turn = await run(client)
    expect(turn).toMatchObject({ state: "done", result: "Here it is.", usage: { model_calls: 2 } })
    expect(asked).toHaveLength(2)
    const { messages } = asked[1] ?? { messages: [] }
    expect(messages.map(({ role }) => role)).toEqual(["user"])
    expect(JSON.stringify(messages)).toContain("You have not answered yet")
    await expectPromises(world, client.userId)
  })

  test("A second one ends the turn with EMPTY_ANSWER", async () => {
    answers = () => thinks
    const client = await world.createAccount()
    const turn = await run(client)
    expect(turn).toMatchObject({ state: "failed", error: { code: "EMPTY_ANSWER" }, usage: { model_calls: 2 } })
    expect(micros(turn.billed_cost_usd)).toBe(2 * COST)
    expect(asked).toHaveLength(2)
    await expectPromises(world, client.userId)
  })

  test("The agent that delegated to one with such answers gets an error", async () => {
    answers = () => thinks
    const client = await world.createAccount()
    const manifest = { subagents: [{ name: "researcher", description: "Finds out.", model: PROVIDED_PIN }] }
    const space = await client.space({ manifest })
    const turn = await run(client, { space, text: "[delegate researcher Tell me.]", model: "rehearsal/standard" })
    expect(turn).toMatchObject({ state: "done", result: expect.stringMatching(/delegate failed: .*without any text/) })
    expect(asked).toHaveLength(2)
    await expectPromises(world, client.userId)
  })
})

test("An answer that its provider pauses continues where it ended", async () => {
  const start = messageStart({ input_tokens: 20, output_tokens: 1 })
  answers = (n) =>
    n === 0
      ? [start, ...said(0, "First. "), ...ends("pause_turn", { output_tokens: 10 })]
      : [start, ...said(0, "Second."), ...ends("end_turn", { output_tokens: 10 })]
  const client = await world.createAccount()
  const turn = await run(client, { model: CLAUDE })
  expect(turn).toMatchObject({ state: "done", result: "First. Second.", usage: { model_calls: 2 } })
  expect(micros(turn.billed_cost_usd)).toBe(2 * COST)
  await expectPromises(world, client.userId)
})

describe("The calls of an answer that is cut", () => {
  test.each<[string, string, (object | string)[]]>([
    [
      "a limit right after the name",
      PROVIDED_PIN,
      [
        chunk({ tool_calls: [toolCall("lookup_order", "", { index: 0, id: "a" })] }),
        chunk({}, "length"),
        counts(usage(20, 10)),
        "[DONE]",
      ],
    ],
    [
      "a limit after a whole input",
      PROVIDED_PIN,
      [
        chunk({ tool_calls: [toolCall("lookup_order", '{"id":"1"}', { index: 0, id: "a" })] }),
        chunk({}, "length"),
        counts(usage(20, 10)),
        "[DONE]",
      ],
    ],
    [
      "a window that is full",
      CLAUDE,
      [
        messageStart({ input_tokens: 20, output_tokens: 1 }),
        ...used(0, "lookup_order"),
        ...ends("model_context_window_exceeded", { output_tokens: 10 }),
      ],
    ],
    [
      "a pause",
      CLAUDE,
      [
        messageStart({ input_tokens: 20, output_tokens: 1 }),
        ...used(0, "lookup_order", '{"id":"1"}'),
        ...ends("pause_turn", { output_tokens: 10 }),
      ],
    ],
  ])("No call is made, and the model reads why: %s", async (_what, model, cut) => {
    const customer = serveCustomer(world)
    const rest = whole("I see.")
    const ending = [
      messageStart({ input_tokens: 20, output_tokens: 1 }),
      ...said(0, "I see."),
      ...ends("end_turn", { output_tokens: 10 }),
    ]
    answers = (n) => (n === 0 ? cut : model === CLAUDE ? ending : rest)
    const client = await world.createAccount()
    const space = await client.space({
      tools: [orderTool("api.customer.com", { request: { method: "POST", url: "https://api.customer.com/orders" } })],
    })
    const turn = await run(client, { space, model })
    expect(turn).toMatchObject({ state: "done", result: "I see.", usage: { model_calls: 2 } })
    expect(customer.requests).toHaveLength(0)
    expect(JSON.stringify(asked[1])).toMatch(/none of its calls was made/)
    await expectPromises(world, client.userId)
  })
})

test("A count that the request cannot have is bounded in the bill and in the usage report", async () => {
  answers = () => [...texts(), chunk({}, "stop"), counts(usage(100_000_000, 3)), "[DONE]"]
  const client = await world.createAccount()
  const turn = await run(client)
  expect(turn).toMatchObject({ state: "done", result: "Hello there." })
  expect(turn.usage.tokens_input).toBeLessThan(10_000)
  expect(turn.billed_cost_usd).toBeLessThan(0.03)
  const report = (await (await client.call("GET", "/v1/usage")).json()) as { total: { tokens_input: number } }
  expect(report.total.tokens_input).toBe(turn.usage.tokens_input)
  const errors = await world.sql("select code from infrastructure_errors where turn_id = $1", [turn.turn_id])
  expect(errors).toEqual([{ code: "miscounted" }])
  expect(await lossesOf(turn.turn_id)).toEqual([{ cause: "over_hold", micros: expect.any(Number) }])
  await expectPromises(world, client.userId)
})
