import { afterAll, beforeAll, expect, test } from "vitest"
import { addModel } from "../harness/models.ts"
import { chunk, counts, ends, messageStart, said, texts, usage } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** The provider's id of an answer is stored with its model call, and no customer sees it. */

let world: World
let client: TestClient
let answer: { engine: "anthropic" | "openai" | "openai-compatible"; frames: (object | string)[] }
beforeAll(async () => {
  const url = "https://model.test/v1"
  const keys = { OPENAI_API_KEY: "k", ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: url }
  world = await createWorld({ env: { ...keys, OPENAI_BASE_URL: url } })
  for (const pin of ["openai-compatible/ids", "openai/ids", "anthropic/ids"]) await addModel(world, pin)
  world.serve("model.test", () => {
    return new Response(bytesOfFrames(answer), { headers: { "content-type": "text/event-stream" } })
  })
  client = await world.createAccount({ usd: 100 })
})
afterAll(() => world.close())

async function idOf(engine: typeof answer.engine, frames: (object | string)[]) {
  answer = { engine, frames }
  const turn = await client.runTurn({ space: await client.space(), model: `${engine}/ids` })
  const [row] = await world.sql<{ response_id: string | null }>(
    "select response_id from model_calls where turn_id = $1",
    [turn.turn_id],
  )
  expect(JSON.stringify(turn)).not.toContain(row?.response_id ?? "chatcmpl-")
  return row?.response_id
}

const chat = (id: unknown) => [...texts(), chunk({}, "stop"), counts(usage(10, 2))].map((frame) => ({ ...frame, id }))

test("The id of a chat completion, of a response and of a message is stored with its call", async () => {
  expect(await idOf("openai-compatible", [...chat("gen-1764150000-a"), "[DONE]"])).toBe("gen-1764150000-a")
  const message = [messageStart({ input_tokens: 10, output_tokens: 1 }), ...said(0, "Hello")]
  expect(await idOf("anthropic", [...message, ...ends("end_turn", { output_tokens: 2 })])).toBe("msg_1")
  const item = { type: "message", id: "i", role: "assistant", content: [{ type: "output_text", text: "Hello" }] }
  const response = { id: "resp_1", created_at: 0, model: "m", output: [item], status: "completed" }
  const whole = { ...response, usage: { input_tokens: 10, output_tokens: 2 } }
  const events = [
    { type: "response.created", sequence_number: 0, response },
    { type: "response.completed", sequence_number: 1, response: whole },
  ]
  expect(await idOf("openai", events)).toBe("resp_1")
})

test.each([undefined, "", 7, "a".repeat(129), "two words"])("An answer with the id %j has none", async (id) => {
  expect(await idOf("openai-compatible", [...chat(id), "[DONE]"])).toBeNull()
})

test("An answer that broke off keeps its id", async () => {
  const [first] = chat("chatcmpl-cut")
  expect(await idOf("openai-compatible", [first as object])).toBe("chatcmpl-cut")
})
