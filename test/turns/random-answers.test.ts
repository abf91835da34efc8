import { afterAll, beforeAll, expect, test } from "vitest"
import { isThorough } from "../harness/crash.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createRandom } from "../harness/random.ts"
import { changeStream, isCutReason, RECORDED_STREAMS, saysEnd } from "../harness/random-streams.ts"
import { chunk, counts, ends, messageStart, type RecordedStream, said, usage } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDER_URL } from "../harness/scripted-provider.ts"
import { passTime } from "../harness/time.ts"
import { createWorld, turnOf, type World } from "../harness/world.ts"

const TURNS = isThorough ? 200 : 16
const PINS = { anthropic: "anthropic/any", openai: "openai/any", "openai-compatible": "openai-compatible/any" }

/** A whole answer of each protocol. */
const WHOLE: Record<RecordedStream["engine"], (object | string)[]> = {
  anthropic: [messageStart({ input_tokens: 9 }), ...said(0, " The end."), ...ends("end_turn", { output_tokens: 3 })],
  openai: [
    { type: "response.output_text.delta", item_id: "m", output_index: 0, delta: " The end." },
    {
      type: "response.completed",
      response: { id: "r", status: "completed", usage: { input_tokens: 9, output_tokens: 3 } },
    },
  ],
  "openai-compatible": [chunk({ content: " The end." }), chunk({}, "stop"), counts(usage(9, 3)), "[DONE]"],
}

let world: World
let answer: (n: number) => string = () => ""
let asked = 0
beforeAll(async () => {
  const env = {
    OPENAI_API_KEY: "sk-test",
    OPENAI_BASE_URL: PROVIDER_URL,
    ANTHROPIC_API_KEY: "sk-test",
    ANTHROPIC_BASE_URL: PROVIDER_URL,
  }
  world = await createWorld({ env })
  for (const pin of Object.values(PINS)) await addModel(world, pin)
  world.serve("model.test", () => {
    return new Response(answer(asked++), { headers: { "content-type": "text/event-stream" } })
  })
})
afterAll(() => world.close())

test(`In ${TURNS} turns over random streams, every bill is right, and no tool of a cut or broken answer is called`, async () => {
  const random = createRandom("random-answers")
  const customer = serveCustomer(world)
  const client = await world.createAccount()
  const tools = ["look", "delete"].map((name) => {
    const request = { method: "POST", url: `https://api.customer.com/${name}` }
    const input_schema = { type: "object", properties: { id: { type: "string" } } }
    return orderTool("api.customer.com", { name, request, input_schema })
  })
  const met: Record<string, number> = {}
  for (let nth = 0; nth < TURNS; nth++) {
    const recorded = random.pick(RECORDED_STREAMS)
    const { engine } = recorded
    const { frames } = changeStream(recorded, random)
    const about = `seed ${random.seed}, turn ${nth}: ${recorded.name}\n${bytesOfFrames({ engine, frames })}`
    asked = 0
    answer = (n) => bytesOfFrames({ engine, frames: n === 0 ? frames : WHOLE[engine] })
    const before = customer.requests.length
    const max = 0.05
    const sent = await client.sendTurn({
      space: await client.space({ tools }),
      model: PINS[engine],
      conversation: `c${nth}`,
      max_cost_usd: max,
    })
    const { turn_id } = await turnOf(sent)
    let turn = await client.getTurn(turn_id)
    for (let round = 0; round < 12 && turn.finished_at === null; round++) {
      await passTime(world, world.drain(), 1000)
      turn = await client.getTurn(turn_id)
      if (turn.finished_at === null) await world.advance(61_000)
    }
    met[turn.state] = (met[turn.state] ?? 0) + 1
    expect(turn.billed_cost_usd, about).toBeLessThanOrEqual(max)
    const made = customer.requests.length - before
    if (made > 0) {
      expect(frames.some(saysEnd) && !frames.some(isCutReason), about).toBe(true)
      expect(made, about).toBeLessThanOrEqual(recorded.answer?.calls?.length ?? 0)
    }
    if (turn.state === "done") expect(turn.result, about).not.toBe("")
  }
  console.log(`seed ${random.seed}: ${TURNS} turns`, met, `${customer.requests.length} calls of tools`)
  await expectPromises(world, client.userId)
})
