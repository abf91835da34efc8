import { afterAll, beforeAll, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { chunk, counts, ends, messageStart, said, texts } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"
import AMOUNTS from "./published-amounts.tsv?raw"
import LISTS from "./published-prices.tsv?raw"
import { isStated, microsOf, type PublishedAmount, readAmounts } from "./recompute-amounts.ts"

/** Answers of providers, with the amounts that they state, through turns with the published prices. */

const ROWS = readAmounts(AMOUNTS, LISTS)
const ENGINES = { chat: "openai-compatible", responses: "openai", messages: "anthropic" } as const
const pinOf = ({ form }: PublishedAmount) => `${ENGINES[form]}/published`

/** The answer as the frames of a stream. */
function framesOf({ form, answer }: PublishedAmount): (object | string)[] {
  const { usage, ...words } = answer
  if (form === "messages")
    return [messageStart({ ...usage, output_tokens: 1 }), ...said(0, "Hello."), ...ends("end_turn", usage)]
  if (form === "chat") return [...texts(), chunk({}, "stop"), counts(usage)].map((frame) => ({ ...frame, ...words }))
  const item = { type: "message", id: "m1", role: "assistant", content: [{ type: "output_text", text: "Hello." }] }
  const response = { id: "r", status: "completed", usage, ...words }
  return [
    { type: "response.output_item.done", output_index: 0, item },
    { type: "response.completed", response },
  ]
}

let world: World
let admin: Admin
let client: TestClient
let space: string
let row: PublishedAmount
const turns: string[] = []
beforeAll(async () => {
  const key = "sk-test"
  const url = "https://model.test/v1"
  world = await createWorld({
    env: { OPENAI_API_KEY: key, OPENAI_BASE_URL: url, ANTHROPIC_API_KEY: key, ANTHROPIC_BASE_URL: url },
  })
  for (const engine of Object.values(ENGINES)) await addModel(world, `${engine}/published`)
  await world.sql("update model_catalog set max_output_tokens = 64000 where model = 'published'")
  world.serve("model.test", () => {
    const bytes = bytesOfFrames({ engine: ENGINES[row.form], frames: framesOf(row) })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
  admin = await signInAdmin(world)
  client = await world.createAccount({ usd: 10_000 })
  space = await client.space()
})
afterAll(() => world.close())

test("Three providers state amounts themselves, and at least forty are amounts that they have charged", () => {
  const providers = new Set(ROWS.filter(({ statedBy }) => statedBy !== "table").map(({ list }) => list.split(":")[0]))
  expect([...providers].sort()).toEqual(["Anthropic", "OpenRouter", "xAI"])
  expect(ROWS.filter(({ statedBy }) => statedBy === "charged").length).toBeGreaterThanOrEqual(40)
})

test.each(ROWS)("A call is billed the amount that is published, to the micro: $list, $usd, $id", async (one) => {
  row = one
  expect(isStated(row), "the sum without our code").toBe(true)
  const { input } = row.prices
  const prices = { cached: input, ...row.prices }
  const path = `/api/admin/model-catalog/${encodeURIComponent(pinOf(row))}/prices`
  expect(await admin.json("PUT", path, prices)).toEqual([200, expect.anything()])
  const { usage } = row.answer
  // A bill has at most the tokens that the request can have had: one for each byte.
  const words = (usage.prompt_tokens ?? usage.input_tokens) + (usage.cache_read_input_tokens ?? 0)
  const content = "x".repeat(words + (usage.cache_creation_input_tokens ?? 0))
  const messages = [{ role: "user", content }]
  const turn = await client.runTurn({ space, model: pinOf(row), text: undefined, messages, max_cost_usd: 500 })
  turns.push(turn.turn_id)
  expect(BigInt(Math.round(turn.billed_cost_usd * 1e7))).toBe(microsOf(row))
})

test("The books of all these calls agree, and the operator has nothing to find in them", async () => {
  await expectPromises(world, client.userId)
  expect(await world.sql("select code from infrastructure_errors where turn_id = any($1)", [turns])).toEqual([])
})
