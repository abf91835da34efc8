import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { readAnswer } from "../harness/answers.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import {
  block,
  chunk,
  counts,
  ends,
  messageStart,
  type RecordedStream,
  said,
  usage,
  used,
} from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { sendUntilItWaits, serveTools, waiter } from "../harness/waiting.ts"
import { refundTool } from "../harness/waiting-tools.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

const CLAUDE = "anthropic/claude-sonnet-4-5"
const MOST = 4096

let world: World
let client: TestClient
let asked: Record<string, unknown>[] = []
/** The frames of the provider's n-th answer in a test. */
let answers: (n: number) => (object | string)[]
beforeAll(async () => {
  const env = { OPENAI_BASE_URL: PROVIDER_URL, ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: PROVIDER_URL }
  world = await createWorld({ env })
  await addModel(world)
  await addModel(world, CLAUDE)
  await world.sql("update model_catalog set max_output_tokens = $1 where pin in ($2, $3)", [MOST, PROVIDED_PIN, CLAUDE])
  world.serve("model.test", async (request) => {
    const engine: RecordedStream["engine"] = request.url.endsWith("/messages") ? "anthropic" : "openai-compatible"
    asked.push(await request.json())
    const bytes = bytesOfFrames({ engine, frames: answers(asked.length - 1) })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
})
beforeEach(async () => {
  asked = []
  answers = () => [chunk({ content: "Fine." }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

const MANIFEST = { builtin_tools: [], max_output_tokens: 3_000, temperature: 0.5, reasoning: { effort: "low" } }
const SETTINGS = { max_output_tokens: 2_000, temperature: 0.2, reasoning: { effort: "high" } }

test("A turn's settings override the manifest, and the turn, its log, its trace and its export show them", async () => {
  const space = await client.space({ manifest: MANIFEST })
  const usual = await client.runTurn({ space, model: PROVIDED_PIN })
  const own = await client.runTurn({ space, model: PROVIDED_PIN, ...SETTINGS })
  expect(asked).toMatchObject([
    { max_tokens: 3_000, temperature: 0.5, reasoning_effort: "low" },
    { max_tokens: 2_000, temperature: 0.2, reasoning_effort: "high" },
  ])
  expect(usual).toMatchObject({ max_output_tokens: null, temperature: null, reasoning: null })
  expect(own).toMatchObject(SETTINGS)
  const told = { max_output_tokens: 2_000, temperature: 0.2, reasoning: "high" }
  const events = await waiter(client).events(own.turn_id)
  expect(events.find(({ type }) => type === "step.started")?.data).toMatchObject(told)
  const owner = await world.signIn(client.userId)
  const [, trace] = await owner.json("GET", `/api/account/turns/${own.turn_id}/trace`)
  const [span] = trace.spans.filter(({ kind }: { kind: string }) => kind === "model")
  expect(span).toMatchObject({ settings: told, tokens: { input: 20, output: 10, reasoning: 0 } })
  const exported = await (await client.call("GET", `/v1/end-users/${own.end_user_ref}/export`)).json<{
    turns: { turn_id: string }[]
  }>()
  expect(exported.turns.find(({ turn_id }) => turn_id === own.turn_id)).toMatchObject(SETTINGS)
  await expectPromises(world, client.userId)
})

test("More output than the model can write is refused with its limit, on each door, and costs nothing", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const fault = { code: "VALIDATION_FAILED", param: "max_output_tokens", message: expect.stringContaining(`${MOST}`) }
  const body = { space, end_user_ref: "e", text: "t", model: PROVIDED_PIN, max_output_tokens: MOST + 1 }
  for (const response of [client.sendTurn(body), client.call("POST", "/v1/turns/estimate", body)]) {
    expect(await readAnswer(response)).toMatchObject({ status: 422, body: { error: fault } })
  }
  expect((await client.sendTurn({ ...body, max_output_tokens: MOST })).status).toBe(202)
  await world.drain()
})

test("The first hold pays for the asked output, and the shortest answer decides what the turn needs", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const estimate = async (more: object) =>
    (
      await client.call("POST", "/v1/turns/estimate", {
        space,
        end_user_ref: "e",
        text: "t",
        model: PROVIDED_PIN,
        ...more,
      })
    ).json<{
      hold_usd: number
      needed_usd: number
    }>()
  await world.sql("update model_catalog set price_output = 10000000000 where pin = $1", [PROVIDED_PIN])
  // 0.001 USD for each output token.
  const [usual, long] = [await estimate({}), await estimate({ max_output_tokens: MOST })]
  expect(long.hold_usd).toBeCloseTo(MOST / 1000, 1)
  expect(long.needed_usd).toBe(usual.needed_usd)
  expect(usual.hold_usd).toBe(0.25)
  expect((await estimate({ max_output_tokens: 5 })).needed_usd).toBeLessThan(usual.needed_usd)
  // A poor account still gets the turn that it can pay.
  const poor = await world.createAccount({ usd: 2 })
  const own = await poor.space({ manifest: { builtin_tools: [] } })
  expect(await poor.runTurn({ space: own, model: PROVIDED_PIN, max_output_tokens: MOST })).toMatchObject({
    state: "done",
  })
  expect(asked.at(-1)?.max_tokens).toBeLessThan(2_000)
  await world.sql("update model_catalog set price_output = 1500000 where pin = $1", [PROVIDED_PIN])
  await expectPromises(world, poor.userId)
})

test("Signed reasoning survives a wait and another worker, is never shown, and is erased with the turn", async () => {
  serveTools(world)
  const space = await client.space({ tools: [refundTool()], manifest: { builtin_tools: [] } })
  const thought = block(
    0,
    { type: "thinking", thinking: "" },
    { type: "thinking_delta", thinking: "secret-thought" },
    { type: "signature_delta", signature: "secret-signature" },
  )
  const redacted = block(1, { type: "redacted_thinking", data: "secret-redacted" })
  const refund = used(2, "refund", '{"order":"A-1","amount":80}')
  answers = (n) =>
    n === 0
      ? [
          messageStart({ input_tokens: 20 }),
          ...thought,
          ...redacted,
          ...refund,
          ...ends("tool_use", { output_tokens: 40 }),
        ]
      : [messageStart({ input_tokens: 30 }), ...said(0, "Refunded."), ...ends("end_turn", { output_tokens: 5 })]
  const settings = { max_output_tokens: 4_000, reasoning: { effort: "medium" } }
  const turn = await sendUntilItWaits(world, client, { space, model: CLAUDE, ...settings })
  await waiter(client).decide(turn.turn_id, { decision: "allow" })
  await world.drain()
  const done = await client.getTurn(turn.turn_id)
  expect(done).toMatchObject({ state: "done", result: "Refunded." })
  expect(asked).toHaveLength(2)
  for (const body of asked) expect(body).toMatchObject({ max_tokens: 4_000, thinking: { budget_tokens: 2_000 } })
  expect((asked[1] as { messages: { content: object[] }[] }).messages[1]?.content).toMatchObject([
    { type: "thinking", thinking: "secret-thought", signature: "secret-signature" },
    { type: "redacted_thinking", data: "secret-redacted" },
    { type: "tool_use" },
  ])
  const owner = await world.signIn(client.userId)
  const shown = [
    await (await client.call("GET", `/v1/turns/${turn.turn_id}/events?limit=100`)).text(),
    await (await client.call("GET", `/v1/end-users/${done.end_user_ref}/export`)).text(),
    JSON.stringify(await owner.json("GET", `/api/account/turns/${turn.turn_id}/steps`)),
    JSON.stringify(await owner.json("GET", `/api/account/turns/${turn.turn_id}/trace`)),
    JSON.stringify(done),
  ]
  for (const text of shown) {
    expect(text.length).toBeGreaterThan(100)
    expect(text).not.toMatch(/secret-/)
  }
  const stored = async () =>
    (await world.sql<{ content: string }>("select content::text from turn_steps where turn_id = $1", [turn.turn_id]))
      .map(({ content }) => content)
      .join()
  expect(await stored()).toMatch(/secret-thought.*secret-signature.*secret-redacted/)
  await expectPromises(world, client.userId)
  const { value } = await world.makeKey(client.userId, { scope: "all" })
  const all = world.createClient(client.userId, value)
  expect((await all.call("DELETE", `/v1/end-users/${done.end_user_ref}`)).status).toBe(200)
  await world.settled()
  expect(await stored()).not.toMatch(/secret-/)
})

test("A reply ends before a stop sequence, also if it arrives in pieces, and the bill counts what the model wrote", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const pieces = ["It left. E", "N", "D and more"]
  answers = () => [...pieces.map((content) => chunk({ content })), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
  const turn = await client.runTurn({ space, model: PROVIDED_PIN, stop: ["##", "END"] })
  expect(asked).toMatchObject([{ stop: ["##", "END"] }])
  expect(turn).toMatchObject({ result: "It left. ", stop: ["##", "END"], store: true, usage: { tokens_output: 10 } })
  const whole = await client.runTurn({ space, model: PROVIDED_PIN, stop: ["ENDS"] })
  expect(whole).toMatchObject({ result: "It left. END and more" })
  const [, refused] = [await client.sendTurn({ space, stop: [] }), await client.sendTurn({ space, stop: [""] })]
  expect(refused.status).toBe(422)
  await expectPromises(world, client.userId)
})

test("A model that refuses stop sequences is asked without them from then on", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  const said = "Unsupported parameter: 'stop' is not supported with this model."
  const refusal = {
    error: { message: said, type: "invalid_request_error", param: "stop", code: "unsupported_parameter" },
  }
  world.serve("model.test", async (request) => {
    const body = await request.json<Record<string, unknown>>()
    asked.push(body)
    if (body.stop) return Response.json(refusal, { status: 400 })
    const frames = [chunk({ content: "One END two" }), chunk({}, "stop"), counts(usage(20, 10)), "[DONE]"]
    const bytes = bytesOfFrames({ engine: "openai-compatible", frames })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
  for (const nth of [0, 1]) {
    const turn = await client.runTurn({ space, model: PROVIDED_PIN, stop: ["END"] })
    expect(turn, String(nth)).toMatchObject({ state: "done", result: "One " })
  }
  expect(asked.map(({ stop }) => stop)).toEqual([["END"], undefined, undefined])
})
