import { afterAll, beforeAll, expect, test } from "vitest"
import type { Body } from "../harness/caching-provider.ts"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { serveCatalogue, validInputOf } from "../harness/many-servers.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import type { CatalogueTool } from "../harness/tool-catalogue.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** The cost of many tools, and the cache of a provider that counts as Anthropic when an agent finds one of them. */

const PIN = "anthropic/caches"

let world: World
let served: ReturnType<typeof serveCatalogue>
let provider: ReturnType<typeof serveCachingAnthropic>
let act: (body: Body, answered: number) => { name: string; input: object }[]
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  await world.sql("update model_catalog set price_cache_write = 37500000 where pin = $1", [PIN])
  provider = serveCachingAnthropic(world, "anthropic.test", { act: (body, answered) => act(body, answered) })
  served = serveCatalogue(world)
})
afterAll(() => world.close())

const spaceOf = (client: TestClient, mode?: string) =>
  client.space({ mcp_servers: served.mcp_servers, ...(mode && { manifest: { tools: { mode } } }) })

/** Runs a turn. Returns it with the provider's counts of its calls. */
async function run(client: TestClient, space: string, text: string) {
  const from = provider.seen.length
  const turn = await client.runTurn({ space, text, model: PIN, conversation: "talk", max_cost_usd: 5 })
  expect(turn, JSON.stringify(turn.error)).toMatchObject({ state: "done" })
  return { turn, calls: provider.seen.slice(from) }
}

test("A hello next to 180 tools of nine servers costs a small part of what it costs with all of their definitions", async () => {
  act = () => []
  const client = await world.createAccount({ usd: 100 })
  const cost = async (mode?: string) => {
    const { turn, calls } = await run(client, await spaceOf(client, mode), "Hello")
    return { tokens: calls[0]?.prompt ?? 0, listed: calls[0]?.body.tools?.length, usd: turn.billed_cost_usd }
  }
  const [all, some] = [await cost("all"), await cost()]
  console.log(`hello with 180 tools: ${JSON.stringify(all)}, with a search: ${JSON.stringify(some)}`)
  expect([all.listed, some.listed]).toEqual([183, 5])
  expect(some.tokens).toBeLessThan(all.tokens / 10)
  expect(some.usd).toBeLessThan(all.usd / 10)
})

const TURNS = 12

/** A chat in which each third turn needs another tool, and the turns between use the last one again. */
async function chat(mode?: string) {
  const client = await world.createAccount({ usd: 100 })
  const space = await spaceOf(client, mode)
  let wanted = served.catalogue[0] as CatalogueTool
  let isNew = true
  const find = () => ({ name: "find_tools", input: { query: wanted.spec.description.split(".")[0] as string } })
  const use = () =>
    mode === "all"
      ? { name: wanted.spec.name, input: validInputOf(wanted) }
      : { name: "call_tool", input: { name: wanted.spec.name, input: validInputOf(wanted) } }
  act = (_body, answered) => {
    const plan = mode === "all" || !isNew ? [use] : [find, use]
    return plan[answered] ? [plan[answered]()] : []
  }
  let usd = 0
  const calls: typeof provider.seen = []
  for (let n = 0; n < TURNS; n++) {
    isNew = n % 3 === 0
    if (isNew) wanted = served.catalogue[(n * 37) % served.catalogue.length] as CatalogueTool
    const before = served.called.length
    const made = await run(client, space, `Question ${n}: ${"please do it for me. ".repeat(10)}`)
    expect(served.called.slice(before).map(({ tool }) => tool)).toEqual([wanted.spec.name])
    usd += made.turn.billed_cost_usd
    calls.push(...made.calls)
  }
  await expectPromises(world, client.userId)
  const read = calls.reduce((sum, { usage }) => sum + usage.cache_read_input_tokens, 0)
  const all = calls.reduce((sum, { prompt }) => sum + prompt, 0)
  return { usd, calls, share: read / all }
}

test(`In a chat of ${TURNS} turns each prompt begins as the one before it, though tools are found on the way`, async () => {
  const { calls, share, usd } = await chat()
  const tools = new Set(calls.map(({ body }) => JSON.stringify(body.tools)))
  expect(tools.size).toBe(1)
  let turnBegan = 0
  for (const [n, { usage, body }] of calls.entries()) {
    const { content } = body.messages.at(-1) ?? {}
    const begins = !JSON.stringify(content).includes('"tool_result"')
    // A call reads the whole call before it; the first call of a turn reads that of the turn before.
    const before = calls[begins ? turnBegan : n - 1]
    if (n > 0) expect(usage.cache_read_input_tokens, `call ${n}`).toBeGreaterThanOrEqual(before?.prompt ?? 0)
    if (begins) turnBegan = n
  }
  const all = await chat("all")
  console.log(
    `a chat of ${TURNS} turns: with a search ${usd.toFixed(4)} USD, ${Math.round(share * 100)} % from the cache; ` +
      `with all tools ${all.usd.toFixed(4)} USD, ${Math.round(all.share * 100)} %`,
  )
  expect(usd).toBeLessThan(all.usd / 2)
})

test("A tool that was found two turns ago is in the prompt at the same place, and is called without another search", async () => {
  const client = await world.createAccount({ usd: 100 })
  const space = await spaceOf(client)
  const wanted = served.catalogue[33] as CatalogueTool
  act = (_, answered) =>
    answered === 0 ? [{ name: "find_tools", input: { query: wanted.spec.description.split(".")[0] as string } }] : []
  await run(client, space, "Find it.")
  act = () => []
  const [second] = (await run(client, space, "Thanks.")).calls
  const [third] = (await run(client, space, "Bye.")).calls
  const [first, ...rest] = second?.body.messages ?? []
  expect(JSON.stringify(first)).toContain(wanted.spec.name)
  expect(JSON.stringify(rest)).not.toContain(wanted.spec.name)
  const bare = (message: unknown) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, "")
  expect(bare(third?.body.messages[0])).toBe(bare(first))
  expect(third?.usage.cache_read_input_tokens).toBeGreaterThanOrEqual(second?.usage.cache_read_input_tokens ?? 0)
})
