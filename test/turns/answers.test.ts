import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, type TestClient, turnOf, type World } from "../harness/world.ts"

let world: World
let calls = 0
/** The frames that the provider streams in its n-th call of a test. */
let answers: (n: number) => (string | number | "break")[] = () => []
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  world.serve("model.test", (request) => stream(answers(calls++), request.signal))
})
afterAll(() => world.close())

/** Strings are sent unchanged, numbers are pauses in milliseconds, and "break" ends the connection. */
function stream(pieces: (string | number)[], signal: AbortSignal): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      try {
        for (const piece of pieces) {
          if (piece === "break") {
            while ((controller.desiredSize ?? 1) < 1) await world.clock.sleep(1, signal)
            await world.clock.sleep(1, signal)
            throw new Error("the connection breaks")
          }
          if (typeof piece === "number") await world.clock.sleep(piece, signal)
          else controller.enqueue(encoder.encode(piece))
        }
        controller.close()
      } catch (error) {
        controller.error(error)
      }
    },
  })
  return new Response(body, { headers: { "content-type": "text/event-stream" } })
}

const frame = (data: unknown) => `data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`
const says = (content: string) => frame({ id: "c", choices: [{ index: 0, delta: { content } }] })
const ends = (finish_reason: string | null) => frame({ id: "c", choices: [{ index: 0, delta: {}, finish_reason }] })
const counts = frame({ id: "c", choices: [], usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 } })
const DONE = frame("[DONE]")
const whole = (text: string, reason = "stop") => [says(text), ends(reason), counts, DONE]
/** The cost of such an answer, in credit micros. */
const COST = 20 * 30 + 10 * 150
const micros = (usd: number) => Math.round(usd * 1e7)

async function begin(client: TestClient, body: Record<string, unknown> = {}): Promise<string> {
  calls = 0
  const { space = await client.space(), ...rest } = body as { space?: string }
  const { turn_id } = await turnOf(await client.sendTurn({ space, model: PROVIDED_PIN, ...rest }))
  await world.settled()
  return turn_id
}

/** Delivers messages until the turn has ended, and skips its waits. */
async function runOut(client: TestClient, turnId: string, stepMs = 1000) {
  for (let round = 0; round < 12; round++) {
    await passTime(world, world.drain(), stepMs)
    const turn = await client.getTurn(turnId)
    if (turn.finished_at !== null) return turn
    await world.advance(61_000)
    await world.sweep()
  }
  throw new Error("the turn does not end")
}

async function eventsOf(client: TestClient, turnId: string) {
  const response = await client.call("GET", `/v1/turns/${turnId}/events`)
  return ((await response.json()) as { data: { type: string; data: Record<string, unknown> }[] }).data
}

describe("A complete answer with an unknown frame", () => {
  const text = says("Whole answer.")
  test.each<[string, string[]]>([
    [
      "usage in a frame without choices",
      [text, ends("stop"), frame({ id: "c", usage: { prompt_tokens: 20, completion_tokens: 10 } }), DONE],
    ],
    ["an empty data line", [text, ends("stop"), "data:\n\n", counts, DONE]],
    ["no finish_reason", [text, counts, DONE]],
    ["null as the finish_reason", [text, ends(null), counts, DONE]],
    ["a ping before the text", [frame({ type: "ping" }), ...whole("Whole answer.")]],
    ["a frame that is not JSON", [says("Whole "), frame("{"), ...whole("answer.")]],
    ["null after the text", [...whole("Whole answer."), frame("null")]],
    [
      "a comment and an event of another type",
      [": hello\n\n", "event: vendor\ndata: 1\n\n", ...whole("Whole answer.")],
    ],
  ])("The answer counts as one call with one bill: %s", async (_what, pieces) => {
    answers = () => pieces
    const client = await world.createAccount()
    const turn = await runOut(client, await begin(client))
    expect(turn).toMatchObject({ state: "done", result: "Whole answer.", truncated: false, usage: { model_calls: 1 } })
    expect(calls).toBe(1)
    expect(micros(turn.billed_cost_usd)).toBe(COST)
    await expectPromises(world, client.userId)
  })
})

describe("A continuation that repeats the earlier text", () => {
  const cut = (text: string) => [says(text), "break" as const]

  test("A continuation that repeatedly breaks off is billed once", async () => {
    answers = () => cut("Whole answer.")
    const client = await world.createAccount()
    const turn = await runOut(client, await begin(client))
    expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_UNAVAILABLE" }, result: "Whole answer." })
    expect(calls).toBe(TURN_POLICY.maxModelFailures)
    expect(turn.usage).toMatchObject({ model_calls: 1, tokens_output: 4 })
    const lost = await world.sql("select cause from losses where turn_id = $1", [turn.turn_id])
    expect(lost).toEqual(Array.from({ length: TURN_POLICY.maxModelFailures - 1 }, () => ({ cause: "unfinished" })))
    await expectPromises(world, client.userId)
  })

  test.each(["Whole", "answer. And", " Whole answer. And more"])(
    "A repetition up to %j costs nothing",
    async (again) => {
      answers = (n) => (n === 0 ? cut("Whole answer. And more") : cut(again))
      const client = await world.createAccount()
      const turn = await runOut(client, await begin(client))
      expect(turn).toMatchObject({ result: "Whole answer. And more", usage: { model_calls: 1 } })
      await expectPromises(world, client.userId)
    },
  )

  test("A complete repetition ends the turn, and its answer appears once", async () => {
    answers = (n) => (n === 0 ? cut("Whole answer.") : whole("Whole answer."))
    const client = await world.createAccount()
    const turn = await runOut(client, await begin(client))
    expect(turn).toMatchObject({ state: "done", result: "Whole answer.", usage: { tokens_output: 4 } })
    expect(calls).toBe(2)
    const [first] = await world.sql<{ cost: number }>(
      "select cost_credit_micros::int as cost from turn_steps where turn_id = $1 order by step limit 1",
      [turn.turn_id],
    )
    expect(micros(turn.billed_cost_usd)).toBe(first?.cost)
    expect(
      await world.sql("select cause, credit_micros::int as micros from losses where turn_id = $1", [turn.turn_id]),
    ).toEqual([{ cause: "unfinished", micros: COST }])
    await expectPromises(world, client.userId)
  })

  test.each([
    ["begins again and says more", ["Hello wor", "Hello world, all", " is fine."], "Hello world, all is fine."],
    ["goes on", ["Hello wor", "ld."], "Hello world."],
    ["continues as it began", ["ha ", "hat"], "ha hat"],
  ])(
    "A continuation that repeats only the beginning, or %s, counts as new text",
    async (_what, [first = "", ...rest], result) => {
      answers = (n) => (n === 0 ? cut(first) : [...rest.map(says), ends("stop"), counts, DONE])
      const client = await world.createAccount()
      const turn = await runOut(client, await begin(client))
      expect(turn).toMatchObject({ state: "done", result, usage: { model_calls: 2 } })
      expect(micros(turn.billed_cost_usd)).toBeGreaterThan(COST)
      await expectPromises(world, client.userId)
    },
  )
})

describe("An answer that was refused, filtered or broken", () => {
  test.each([
    ["refusal", "MODEL_REFUSED", "refused"],
    ["content_filter", "CONTENT_FILTERED", "filtered"],
    ["error", "MODEL_ERROR", "error"],
  ])("With %s the turn fails with %s, and the customer pays for the call", async (reason, code, finish) => {
    answers = () => whole("I cannot say.", reason)
    const client = await world.createAccount()
    const turn = await runOut(client, await begin(client))
    expect(turn).toMatchObject({
      state: "failed",
      status_reason: code,
      error: { code, message: expect.stringContaining("billed") },
      result: "I cannot say.",
      truncated: false,
      usage: { model_calls: 1, tokens_output: 10 },
    })
    expect(micros(turn.billed_cost_usd)).toBe(COST)
    expect(calls).toBe(1)
    const events = await eventsOf(client, turn.turn_id)
    expect(events.find(({ type }) => type === "step.ended")?.data).toMatchObject({ finish })
    expect(events.at(-1)).toMatchObject({ type: "turn.failed", data: { error_code: code } })
    await expectPromises(world, client.userId)
  })

  test("A sub-agent's broken answer is an error for the calling agent", async () => {
    answers = () => whole("I cannot say.", "content_filter")
    const client = await world.createAccount()
    const manifest = { subagents: [{ name: "researcher", description: "Finds out.", model: PROVIDED_PIN }] }
    const space = await client.space({ manifest })
    const text = "[delegate researcher Tell me.]"
    const turn = await runOut(client, await begin(client, { space, text, model: "rehearsal/standard" }))
    expect(turn).toMatchObject({ state: "done", result: expect.stringMatching(/delegate failed: .*filter/) })
    await expectPromises(world, client.userId)
  })
})

test("A turn whose answer reaches the model's own limit is done and marked as truncated", async () => {
  answers = () => whole("Once upon a", "length")
  const client = await world.createAccount()
  const turn = await runOut(client, await begin(client))
  expect(turn).toMatchObject({ state: "done", result: "Once upon a", truncated: true })
  expect((await eventsOf(client, turn.turn_id)).at(-1)).toMatchObject({
    type: "turn.done",
    data: { state: "done", truncated: true },
  })
  const listed = (await (await client.call("GET", "/v1/turns")).json()) as { data: unknown[] }
  expect(listed.data).toEqual([expect.objectContaining({ truncated: true })])
  await expectPromises(world, client.userId)
})

describe("A model call in progress", () => {
  const words = Array.from({ length: 600 }, () => [says("word "), 1000]).flat()

  test("A call ends within two seconds of a cancel and is billed until then", async () => {
    answers = () => words
    const client = await world.createAccount()
    const turnId = await begin(client, { timeout_seconds: 3600 })
    const running = world.drain()
    await passTime(world, Promise.race([running, world.clock.sleep(40_000)]), 200)
    const began = world.clock.ms()
    await passTime(world, client.call("POST", `/v1/turns/${turnId}/cancel`), 50)
    await passTime(world, running, 50)
    expect(world.clock.ms() - began).toBeLessThanOrEqual(2000)
    const turn = await client.getTurn(turnId)
    expect(turn).toMatchObject({ state: "cancelled", result: expect.stringMatching(/^word word /) })
    expect(turn.usage.tokens_output).toBeLessThan(60)
    await expectPromises(world, client.userId)
  })

  test("A short call looks once for a reader, and concurrent long calls share their looks", async () => {
    const looks = async () => (await world.calls()).filter(({ label }) => label.includes("running_marks")).length
    const client = await world.createAccount()
    answers = () => [says("Whole "), 1000, ...whole("answer.")]
    const short = await begin(client)
    await world.plan([])
    expect((await runOut(client, short)).state).toBe("done")
    expect(await looks()).toBe(1)
    answers = () => [...words.slice(0, 40), ...whole("end")]
    const long = []
    for (let nth = 0; nth < 12; nth++) long.push(await begin(client, { conversation: `c${nth}` }))
    await world.plan([])
    for (const turnId of long) expect((await runOut(client, turnId)).state).toBe("done")
    const statements = await looks()
    await world.clearFaults()
    expect(statements).toBeGreaterThan(10)
    expect(statements).toBeLessThan(40)
  })

  test("A call that keeps sending data may run up to a longer limit", async () => {
    const quiet = (ms: number) => Array.from({ length: ms / 15_000 }, () => [15_000, ": keep-alive\n\n"]).flat()
    const client = await world.createAccount()
    answers = () => [...quiet(180_000), ...whole("Whole answer.")]
    const stepMs = 15_000
    expect(await runOut(client, await begin(client, { timeout_seconds: 3600 }), stepMs)).toMatchObject({
      state: "done",
      result: "Whole answer.",
      usage: { model_calls: 1 },
    })
    expect(calls).toBe(1)
    let endedAt = 0
    answers = (n) => {
      if (n === 0) return [...quiet(TURN_POLICY.wordlessMs * 2), ...whole("too late")]
      endedAt ||= world.clock.ms()
      return whole("Whole answer.")
    }
    const turnId = await begin(client, { timeout_seconds: 3600 })
    const began = world.clock.ms()
    expect(await runOut(client, turnId, stepMs)).toMatchObject({ state: "done", result: "Whole answer." })
    expect(endedAt - began).toBeGreaterThan(TURN_POLICY.wordlessMs)
    expect(endedAt - began).toBeLessThan(TURN_POLICY.wordlessMs + 120_000)
    await expectPromises(world, client.userId)
  })
})
