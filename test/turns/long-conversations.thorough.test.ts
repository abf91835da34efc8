import { afterAll, beforeAll, expect, test } from "vitest"
import { serveCachingAnthropic } from "../harness/caching-provider.ts"
import { orderTool, serveCustomer } from "../harness/customer.ts"
import { addModel } from "../harness/models.ts"
import { expectPromises } from "../harness/promises.ts"
import { createWorld, type TestClient, type World } from "../harness/world.ts"

/** Conversations and turns that are much longer than the windows of their models, at a server that caches prompts. */

const PIN = "anthropic/caches"
const WINDOWS = [8_000, 32_000, 200_000]
/** The model's output limit. An answer gets at most a quarter of the window. */
const TURNS = 500

let world: World
let provider: ReturnType<typeof serveCachingAnthropic>
let shape = { steps: 1, says: "It is done.", window: 0 }
beforeAll(async () => {
  world = await createWorld({ env: { ANTHROPIC_API_KEY: "sk-test", ANTHROPIC_BASE_URL: "https://anthropic.test/v1" } })
  await addModel(world, PIN)
  provider = serveCachingAnthropic(world, "anthropic.test", {
    steps: () => shape.steps,
    says: () => shape.says,
    window: () => shape.window,
  })
  serveCustomer(world, { answer: () => Response.json({ log: "shipped and signed for. ".repeat(2_080) }) })
})
afterAll(() => world.close())

async function useWindow(window: number) {
  shape = { ...shape, window }
  await world.sql("update model_catalog set context_tokens = $1, learned = '{}' where pin = $2", [window, PIN])
}

const percent = (part: number, whole: number) => `${Math.round((100 * part) / whole)} %`
const sum = (numbers: number[]) => numbers.reduce((all, number) => all + number, 0)

interface Trim {
  step: number
  turns: number
  earlier: number
  results: number
  tokens: number
}

async function trimsOf(client: TestClient, turnId: string): Promise<Trim[]> {
  const trims: Trim[] = []
  for (let after = 0, more = true; more; ) {
    const response = await client.call("GET", `/v1/turns/${turnId}/events?limit=100&cursor=${after}`)
    const { data, has_more } = await response.json<{
      data: { seq: number; type: string; data: Trim }[]
      has_more: boolean
    }>()
    trims.push(...data.filter(({ type }) => type === "context.trimmed").map((event) => event.data))
    after = data.at(-1)?.seq ?? after
    more = has_more && data.length > 0
  }
  return trims
}

test.each(WINDOWS.flatMap((window) => [[window, "without"] as const, [window, "with"] as const]))(
  "A conversation of 500 turns and 2 MB never fails at a model of %i tokens %s summaries, and mostly reads from the cache",
  async (window, way) => {
    await useWindow(window)
    const words = "All of this is said again and again. ".repeat(55)
    shape = { ...shape, steps: 1, says: words }
    const client = await world.createAccount({ usd: 10_000 })
    const manifest = { builtin_tools: [], history: { max_turns: 100, max_tokens: 1_000_000, summary: way === "with" } }
    const space = await client.space({ manifest })
    const [from, refusedFrom] = [provider.seen.length, provider.refused.length]
    let [bytes, usd] = [0, 0]
    for (let n = 0; n < TURNS; n++) {
      const text = `${n}: ${words}`
      const turn = await client.runTurn({ space, model: PIN, conversation: "long", text })
      expect(turn, `turn ${n}`).toMatchObject({ state: "done", result: words })
      bytes += text.length + words.length
      usd += turn.billed_cost_usd
      await world.advance(10_000)
    }
    expect(bytes).toBeGreaterThan(2_000_000)
    const all = provider.seen.slice(from)
    const isSummary = ({ body }: (typeof all)[number]) => JSON.stringify(body.system ?? "").includes("You summarise")
    const calls = all.filter((one) => !isSummary(one))
    const written = all.filter(isSummary)
    const prompts = calls.map(({ prompt }) => prompt)
    const read = sum(calls.map(({ usage }) => usage.cache_read_input_tokens))
    console.log(
      [
        `| window ${window} ${way} summaries | turn | messages sent | tokens sent |`,
        ...[0, 1, 10, 50, 100, 200, 300, 400, 499].map(
          (n) => `| | ${n} | ${calls[n]?.body.messages.length} | ${prompts[n]} |`,
        ),
        `| all | ${TURNS} turns, 0 failed | ${provider.refused.length - refusedFrom} refused | most ${Math.max(...prompts)}, ` +
          `mean ${Math.round(sum(prompts) / TURNS)}, cached ${percent(read, sum(prompts))}, ${written.length} summaries, ${usd.toFixed(4)} USD |`,
      ].join("\n"),
    )
    expect(calls).toHaveLength(TURNS)
    expect(written.length > 0).toBe(way === "with")
    expect(Math.max(...prompts)).toBeLessThanOrEqual(window)
    expect(read / sum(prompts)).toBeGreaterThan(window < 10_000 ? 0.35 : 0.75)
    await expectPromises(world, client.userId)
  },
)

test.each(WINDOWS)("A turn with 60 results of 50 KB ends at a model of %i tokens", async (window) => {
  await useWindow(window)
  shape = { ...shape, steps: 61, says: "It is done." }
  const client = await world.createAccount({ usd: 1_000 })
  const space = await client.space({
    tools: [orderTool()],
    secrets: { TOKEN: "canary" },
    manifest: { builtin_tools: [], max_steps: 64 },
  })
  const [from, refusedFrom] = [provider.seen.length, provider.refused.length]
  const turn = await client.runTurn({ space, model: PIN, text: "Where are my orders?" })
  expect(turn).toMatchObject({ state: "done", result: "It is done.", usage: { model_calls: 61, tool_calls: 60 } })
  const calls = provider.seen.slice(from)
  const prompts = calls.map(({ prompt }) => prompt)
  const read = sum(calls.map(({ usage }) => usage.cache_read_input_tokens))
  const trims = await trimsOf(client, turn.turn_id)
  console.log(
    [
      `| window ${window} | step | results removed | tokens then |`,
      ...trims.map(({ step, results, tokens }) => `| | ${step} | ${results} | ${tokens} |`),
      `| all | 61 steps | ${trims.at(-1)?.results} of 60, in ${trims.length} cuts, ${provider.refused.length - refusedFrom} refused | most ` +
        `${Math.max(...prompts)}, cached ${percent(read, sum(prompts))}, ${turn.billed_cost_usd.toFixed(4)} USD |`,
    ].join("\n"),
  )
  expect(Math.max(...prompts)).toBeLessThanOrEqual(window)
  expect(trims.at(-1)?.results).toBeGreaterThan(0)
  await expectPromises(world, client.userId)
})
