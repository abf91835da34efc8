import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { expectPromises } from "../harness/promises.ts"
import { resetAccounts } from "../harness/provider-accounts.ts"
import { createRoutedWorld, type RoutedWorld } from "../harness/routed-world.ts"
import type { ProviderScript } from "../harness/scripted-provider.ts"
import type { TestClient } from "../harness/world.ts"

let world: RoutedWorld
let client: TestClient
let space: string
beforeAll(async () => {
  world = await createRoutedWorld()
  client = await world.createAccount({ usd: 100 })
  space = await client.space({ manifest: { builtin_tools: [] } })
})
beforeEach(() => resetAccounts(world, ["a"]))
afterAll(() => world.close())

const WORDS = "All of this is said again. ".repeat(60)
/** The tokens of a request for a provider that counts one for three bytes. */
const tokensOf = (messages: unknown) => Math.ceil(JSON.stringify(messages).length / 3)

/** A provider whose model takes this many tokens, and names them as `refuse` says. */
function serveWindow(window: number, refuse: (prompt: number) => string) {
  const refused: number[] = []
  world.script(() => {
    const tokens = tokensOf(world.provider.asks.at(-1)?.messages)
    if (tokens <= window) return { words: [WORDS] }
    refused.push(tokens)
    return { status: 400, message: refuse(tokens) } satisfies ProviderScript
  })
  return refused
}

const windowOf = (tokens: number | null) =>
  world.sql("update model_catalog set context_tokens = $1 where pin = 'openai-compatible/chat-model'", [tokens])

const FORMS: [name: string, known: number | null, refuse: (prompt: number) => string][] = [
  ["whose window is known", 4_000, (prompt) => `prompt is too long: ${prompt} tokens > 4000 maximum`],
  ["that names both numbers", null, (prompt) => `prompt is too long: ${prompt} tokens > 4000 maximum`],
  ["that names its limit", null, () => "total number of tokens in the prompt cannot exceed 4000"],
  ["that names no number", null, () => "Input is too long for requested model."],
]

test.each(FORMS)("A conversation of 25 turns never fails at a model %s", async (name, known, refuse) => {
  await windowOf(known)
  const refused = serveWindow(4_000, refuse)
  let trims = 0
  for (let n = 0; n < 25; n++) {
    const turn = await world.runTurn(client, { space, conversation: name, text: `${n}: ${WORDS}` })
    expect(turn, `turn ${n}`).toMatchObject({ state: "done" })
    const { data } = await (await client.call("GET", `/v1/turns/${turn.turn_id}/events?limit=100`)).json<{
      data: { type: string; data: Record<string, number> }[]
    }>()
    const [trim] = data.filter(({ type }) => type === "context.trimmed")
    if (trim) expect(trim.data).toMatchObject({ step: 0, turns: expect.any(Number), results: 0 })
    trims += trim ? 1 : 0
    const last = world.provider.asks.at(-1)?.messages ?? []
    expect(tokensOf(last)).toBeLessThanOrEqual(4_000)
    expect(JSON.stringify(last.at(-1)?.content)).toContain(`${n}: All of this`)
  }
  expect(trims).toBeGreaterThan(10)
  // A refused call costs nothing, and is made again at most twice.
  expect(refused.length).toBeLessThanOrEqual(2 * 25)
  await expectPromises(world, client.userId)
})

test("A prompt that cannot be shortened fails as CONTEXT_TOO_LONG with the numbers, is not billed, and blames no account", async () => {
  await windowOf(null)
  const refused = serveWindow(4_000, (prompt) => `prompt is too long: ${prompt} tokens > 4000 maximum`)
  const turn = await world.runTurn(client, { space, conversation: "long", text: "word ".repeat(6_000) })
  expect(turn).toMatchObject({ state: "failed", billed_cost_usd: 0, error: { code: "CONTEXT_TOO_LONG" } })
  expect(turn.error?.message).toMatch(/about \d+ tokens.*takes 4000 tokens.*Nothing was billed\./)
  expect(refused).toHaveLength(1)
  // The next turn of the conversation is not affected: a failed turn is no part of the history.
  expect(await world.runTurn(client, { space, conversation: "long", text: "hello" })).toMatchObject({ state: "done" })
  await expectPromises(world, client.userId)
})
