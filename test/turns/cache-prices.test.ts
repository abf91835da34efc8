import { afterAll, beforeAll, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { addImageModel, logInMedia, PAINTER, PICTURES, pictureAnswer, serveImages } from "../harness/pictures.ts"
import { expectPromises } from "../harness/promises.ts"
import { providerStream } from "../harness/streams.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const PIN = "anthropic/caches"
const PRICES = { plain: 30, cached: 3, written: 37.5, output: 150 }

let world: World
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  await world.sql("update model_catalog set price_cache_write = 37500000, idle_seconds = 20 where pin = $1", [PIN])
})
afterAll(() => world.close())

const usage = { input_tokens: 20, cache_read_input_tokens: 90, cache_creation_input_tokens: 10, output_tokens: 1 }
const message = { type: "message", id: "m", role: "assistant", model: "m", content: [], stop_reason: null, usage }
const BEGINNING = [
  { type: "message_start", message },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello there." } },
]
const END = [
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 30 } },
  { type: "message_stop" },
]

const billedOf = (output: number) =>
  20 * PRICES.plain + 90 * PRICES.cached + 10 * PRICES.written + output * PRICES.output

test("Tokens that are read from or written to the provider's cache have their own prices", async () => {
  world.serve("anthropic.test", providerStream([...BEGINNING, ...END]))
  const client = await world.createAccount()
  const turn = await client.runTurn({ space: await client.space(), model: PIN })
  expect(turn).toMatchObject({ state: "done", usage: { tokens_input: 120, tokens_cached: 90, tokens_output: 30 } })
  expect(turn.billed_cost_usd * 1e7).toBeCloseTo(billedOf(30))
  const written = await world.sql(
    `select t.tokens_cache_written::int as turn, u.tokens_cache_written::int as call
     from turns t join usage u on u.turn_id = t.turn_id where t.turn_id = $1`,
    [turn.turn_id],
  )
  expect(written).toEqual([{ turn: 10, call: 10 }])
  await expectPromises(world, client.userId)
})

test("A call that its model's idle limit cuts is billed by the provider's count of the prompt", async () => {
  let calls = 0
  const encoder = new TextEncoder()
  world.serve("anthropic.test", (request) => {
    if (calls++ > 0) return Response.json({ error: { message: "no", type: "error" } }, { status: 400 })
    const body = new ReadableStream({
      start(controller) {
        request.signal.addEventListener("abort", () => controller.error(request.signal.reason))
        for (const event of BEGINNING) {
          controller.enqueue(encoder.encode(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`))
        }
      },
    })
    return new Response(body, { headers: { "content-type": "text/event-stream" } })
  })
  const client = await world.createAccount()
  const sent = await turnOf(await client.sendTurn({ space: await client.space(), model: PIN }))
  await world.settled()
  const began = world.clock.ms()
  await passTime(world, world.drain(), 1000)
  expect(world.clock.ms() - began, "the model's own limit").toBeLessThan(30_000)
  await world.advance(60_000)
  await passTime(world, world.drain(), 1000)
  const turn = await client.getTurn(sent.turn_id)
  expect(turn).toMatchObject({ state: "failed", error: { code: "MODEL_REJECTED" }, result: "Hello there." })
  expect(turn.usage).toMatchObject({ model_calls: 1, tokens_input: 120, tokens_cached: 90, tokens_output: 3 })
  expect(turn.billed_cost_usd * 1e7).toBeCloseTo(billedOf(3))
  await expectPromises(world, client.userId)
})

test("A count that the request cannot have is bounded, and the rest becomes our loss, recorded by cause", async () => {
  const whole = { ...usage, input_tokens: 1_000_000 }
  const start = { type: "message_start", message: { ...message, usage: whole } }
  world.serve("anthropic.test", providerStream([start, ...BEGINNING.slice(1), ...END]))
  const client = await world.createAccount()
  const turn = await client.runTurn({ space: await client.space(), model: PIN, max_cost_usd: 0.1 })
  expect(turn).toMatchObject({ state: "done", result: "Hello there." })
  expect(turn.usage.tokens_input, "no more than the request can have").toBeLessThan(10_000)
  const lost = await world.sql("select cause, credit_micros::int as micros from losses where turn_id = $1", [
    turn.turn_id,
  ])
  const counted = 1_000_000 * PRICES.plain + 90 * PRICES.cached + 10 * PRICES.written + 30 * PRICES.output
  expect(lost).toEqual([{ cause: "over_hold", micros: counted - Math.round(turn.billed_cost_usd * 1e7) }])
  await expectPromises(world, client.userId)
})

test("A provider's count above its bound does not use the credit that is reserved for a picture of the same step", async () => {
  await addImageModel(world)
  await logInMedia(world)
  let paint = () => {}
  let painting = () => {}
  const toPaint = new Promise<void>((resolve) => {
    paint = resolve
  })
  const paints = new Promise<void>((resolve) => {
    painting = resolve
  })
  const whole = { ...usage, input_tokens: 1_000_000 }
  const start = { type: "message_start", message: { ...message, usage: whole } }
  const answer = providerStream([start, ...BEGINNING.slice(1), ...END])
  world.serve("anthropic.test", async () => {
    await paints
    return answer()
  })
  const asked = serveImages(world, async () => {
    painting()
    await toPaint
    return pictureAnswer(PICTURES.png)
  })
  const client = await world.createAccount()
  const subagents = [{ name: "counter", description: "Counts.", model: PIN }]
  const space = await client.space({ manifest: { ...PAINTER.manifest, subagents } })
  const text = '[call generate_image {"prompt":"a cat"}]\n[and delegate counter Count.]'
  const sent = await client.sendTurn({ space, text, model: "rehearsal/standard", max_cost_usd: 0.2 })
  const { turn_id } = await turnOf(sent)
  const drained = world.drain()
  const counted = "select from turn_steps where turn_id = $1 and agent is not null"
  while ((await world.sql(counted, [turn_id])).length === 0);
  paint()
  await drained
  const turn = await client.getTurn(turn_id)
  expect(turn.state).toBe("done")
  expect(turn.billed_cost_usd).toBeLessThan(0.2)
  const pictures = "select cost_credit_micros::int as cost from usage where turn_id = $1 and call is not null"
  expect(await world.sql(pictures, [turn_id])).toEqual([{ cost: 400_000 }])
  expect(asked).toHaveLength(1)
  expect(await world.sql("select cause from losses where turn_id = $1", [turn_id])).toEqual([{ cause: "over_hold" }])
  await expectPromises(world, client.userId)
})
