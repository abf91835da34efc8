import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { MODEL_PIN } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { TestClient } from "../harness/world.ts"

interface Body {
  max_tokens: number
  temperature?: number
  messages: { content: unknown }[]
}

let world: RoutedWorld
let admin: Admin
let client: TestClient
let bodies: Body[]
beforeAll(async () => {
  world = await createRoutedWorld()
  admin = await signInAdmin(world)
  client = await world.createAccount({ usd: 100 })
})
beforeEach(() => resetAccounts(world, ["a"]))
afterAll(() => world.close())

/** A provider that refuses requests as `refuses` says. */
function serve(refuses: (body: Body) => string | null) {
  bodies = []
  world.script(() => {
    const body = world.provider.asks.at(-1) as unknown as Body
    bodies.push(body)
    const message = refuses(body)
    return message === null ? { words: ["Fine."] } : { status: 400, message }
  })
}

const learned = async () => {
  const [, { items }] = await admin.json("GET", "/api/admin/model-catalog")
  return items.find(({ pin }: { pin: string }) => pin === MODEL_PIN)
}
const setLearned = (value: object) =>
  admin.json("PATCH", `/api/admin/model-catalog/${encodeURIComponent(MODEL_PIN)}`, { learned: value })
const adjustments = async (turnId: string) => {
  const { data } = await (await client.call("GET", `/v1/turns/${turnId}/events?limit=100`)).json<{
    data: { type: string; data: object }[]
  }>()
  return data.filter(({ type }) => type === "request.adjusted").map((event) => event.data)
}
const run = (space: string, more: object = {}) => world.runTurn(client, { space, ...more })

test("A limit of the answer is learned from one refusal, kept for the model, shown to operators, and can be set", async () => {
  const space = await client.space({ manifest: { builtin_tools: [], max_output_tokens: 4_000 } })
  const most = 1_000
  serve(({ max_tokens }) =>
    max_tokens > most
      ? `max_tokens is too large: ${max_tokens}. This model supports at most ${most} completion tokens, whereas you provided ${max_tokens}.`
      : null,
  )
  const first = await run(space)
  expect(first).toMatchObject({ state: "done", result: "Fine." })
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([4_000, most])
  expect(await adjustments(first.turn_id)).toEqual([{ step: 0, max_output_tokens: most }])
  const second = await run(space)
  expect(second.state).toBe("done")
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([4_000, most, most])
  expect(await adjustments(second.turn_id)).toEqual([])
  expect((await learned()).learned).toEqual({ max_output_tokens: most })
  expect((await setLearned({ max_output_tokens: 500 }))[0]).toBe(200)
  await run(space)
  expect(bodies.at(-1)?.max_tokens).toBe(500)
  expect((await setLearned({ max_output_tokens: 0 }))[0]).toBe(422)
  expect((await setLearned({}))[1].learned).toEqual({})
  await run(space)
  expect(bodies.slice(-2).map(({ max_tokens }) => max_tokens)).toEqual([4_000, most])
  await setLearned({})
  await expectPromises(world, client.userId)
})

test("A temperature that the model refuses is left out and noted, also in later turns", async () => {
  const space = await client.space({ manifest: { builtin_tools: [], temperature: 0.2 } })
  serve(({ temperature }) =>
    temperature === undefined
      ? null
      : "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
  )
  const turns = [await run(space), await run(space)]
  expect(turns.map(({ state }) => state)).toEqual(["done", "done"])
  expect(bodies.map(({ temperature }) => temperature)).toEqual([0.2, undefined, undefined])
  for (const { turn_id } of turns) expect(await adjustments(turn_id)).toEqual([{ step: 0, without: ["temperature"] }])
  expect((await learned()).learned).toEqual({ without: ["temperature"] })
  await setLearned({})
})

test("A limit that depends on the prompt, and one without a number, hold for their call alone", async () => {
  const space = await client.space({ manifest: { builtin_tools: [], max_output_tokens: 4_000 } })
  serve(({ max_tokens }) =>
    max_tokens > 3_000
      ? `'max_tokens' or 'max_completion_tokens' is too large: ${max_tokens}. This model's maximum context length is 4096 tokens and your request has 1500 input tokens (${max_tokens} > 4096 - 1500). None`
      : null,
  )
  expect((await run(space)).state).toBe("done")
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([4_000, 2_596])
  serve(({ max_tokens }) => (max_tokens > 1_500 ? "max_tokens exceeds what the model allows" : null))
  expect((await run(space)).state).toBe("done")
  expect(bodies.map(({ max_tokens }) => max_tokens)).toEqual([4_000, 2_000, 1_000])
  expect((await learned()).learned).toEqual({})
})

test("A window that a refusal names is kept for the model", async () => {
  const space = await client.space({ manifest: { builtin_tools: [] } })
  serve((body) => {
    const tokens = Math.ceil(JSON.stringify(body.messages).length / 3)
    return tokens > 4_000 ? `prompt is too long: ${tokens} tokens > 4000 maximum` : null
  })
  const long = { conversation: "long", text: "word ".repeat(1_500) }
  for (let n = 0; n < 3; n++) expect((await run(space, long)).state).toBe("done")
  expect((await learned()).learned).toEqual({ context_tokens: 4_000 })
  await setLearned({})
})
