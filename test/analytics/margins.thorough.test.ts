import { afterAll, beforeAll, expect, test } from "vitest"
import { readReport, rollUp } from "../harness/analytics-world.ts"
import { type Admin, signInAdmin } from "../harness/books.ts"
import { addModel } from "../harness/models.ts"
import { createRandom } from "../harness/random.ts"
import { chunk, counts, texts } from "../harness/recorded.ts"
import { bytesOfFrames } from "../harness/replay.ts"
import { PROVIDED_PIN, PROVIDER_URL } from "../harness/scripted-provider.ts"
import { createWorld, type World } from "../harness/world.ts"

const CALLS = 60

let world: World
let admin: Admin
let answer: { usage: object; said: object }
beforeAll(async () => {
  world = await createWorld({ env: { OPENAI_BASE_URL: PROVIDER_URL } })
  await addModel(world)
  admin = await signInAdmin(world)
  world.serve("model.test", () => {
    const frames = [...texts(), chunk({}, "stop"), counts(answer.usage), "[DONE]"].map((frame) =>
      typeof frame === "string" ? frame : { ...frame, ...answer.said },
    )
    const bytes = bytesOfFrames({ engine: "openai-compatible", frames })
    return new Response(bytes, { headers: { "content-type": "text/event-stream" } })
  })
})
afterAll(() => world.close())

/** A price list in credit micros. Its tier counts above `limit` tokens, and its factor for flex (ten-thousandths). */
interface List {
  own: number[]
  limit: number
  tier: number[]
  factor: number
}

const usd = ([input = 0, cached = 0, output = 0]: number[]) => ({
  input: input / 1e7,
  cached: cached / 1e7,
  output: output / 1e7,
})
const requestOf = ({ own, limit, tier, factor }: List) => ({
  ...usd(own),
  tiers: [{ above_input_tokens: limit, ...usd(tier) }],
  modifiers: { flex: factor / 10_000 },
})

const roundedUp = (parts: bigint, whole: bigint) => (parts + whole - 1n) / whole

/** The price of a call in credit micros, counted with integers. */
function costAt(
  { own, limit, tier, factor }: List,
  [fresh, cached, output]: [number, number, number],
  isFlex: boolean,
) {
  const prices = (fresh + cached > limit ? tier : own).map((price) =>
    isFlex ? roundedUp(BigInt(price) * BigInt(factor), 10_000n) : BigInt(price),
  )
  const parts = [fresh, cached, output].reduce((sum, units, at) => sum + BigInt(units) * (prices[at] ?? 0n), 0n)
  return Number(roundedUp(parts, 1_000_000n))
}

test("In each report, cost, bill and margin of random calls at random lists are those of plain sums", async () => {
  const random = createRandom("margins")
  const accounts = await Promise.all(
    [1, 2].map(async () => {
      const client = await world.createAccount({ usd: 1_000 })
      return { client, space: await client.space() }
    }),
  )
  const list = (): List => ({
    own: [1 + random.int(90_000_000), random.int(9_000_000), 1 + random.int(200_000_000)],
    limit: 1 + random.int(2_000),
    tier: [1 + random.int(90_000_000), random.int(9_000_000), 1 + random.int(200_000_000)],
    factor: 1 + random.int(30_000),
  })
  const sums = { cost: 0, billed: 0 }
  for (let at = 0; at < CALLS; at++) {
    const theirs = list()
    const [tenThousandths, perMillion] = [random.int(20_000), 1 + random.int(5_000_000)]
    const raised = (prices: number[]) =>
      prices.map((price) => Number(roundedUp(BigInt(price) * BigInt(10_000 + tenThousandths), 10_000n)) + perMillion)
    const kind = random.pick(["same", "own", "markup"] as const)
    const marked = { ...theirs, own: raised(theirs.own), tier: raised(theirs.tier) }
    const ours = { same: theirs, own: list(), markup: marked }[kind]
    const body = {
      same: requestOf(theirs),
      own: { ...requestOf(ours), provider: requestOf(theirs) },
      markup: {
        provider: requestOf(theirs),
        markup: { percent: tenThousandths / 100, usd_per_million_tokens: perMillion / 1e7 },
      },
    }[kind]
    const path = `/api/admin/model-catalog/${encodeURIComponent(PROVIDED_PIN)}/prices`
    const [status, row] = await admin.json("PUT", path, body)
    expect(status, JSON.stringify(row)).toBe(200)
    const units: [number, number, number] = [random.int(2_000), random.int(1_000), 1 + random.int(60)]
    const isFlex = random.int(3) === 0
    const [fresh, cached, output] = units
    const usage = { prompt_tokens: fresh + cached, completion_tokens: output }
    answer = {
      usage: { ...usage, prompt_tokens_details: { cached_tokens: cached } },
      said: isFlex ? { service_tier: "flex" } : {},
    }
    const { client, space } = random.pick(accounts)
    const turn = await client.runTurn({ space, model: PROVIDED_PIN, max_cost_usd: 5 })
    const told = JSON.stringify({ kind, theirs, ours, units, isFlex, marked: [tenThousandths, perMillion] })
    expect(Math.round(turn.billed_cost_usd * 1e7), told).toBe(costAt(ours, units, isFlex))
    sums.cost += costAt(theirs, units, isFlex)
    sums.billed += costAt(ours, units, isFlex)
    if (random.int(6) === 0) await world.advance(random.int(86_400_000))
  }
  const expected = {
    turns: CALLS,
    cost_usd: sums.cost / 1e7,
    billed_cost_usd: sums.billed / 1e7,
    margin_usd: (sums.billed - sums.cost) / 1e7,
  }
  admin = await signInAdmin(world)
  for (const rolled of ["never", "half", "wholly"]) {
    if (rolled === "half") await rollUp(world, 17)
    if (rolled === "wholly") await rollUp(world, 1_000)
    for (const report of [
      "costs?days=365",
      "cpm?days=365",
      "costs/per-user?days=365",
      "subscription-spaces?days=365",
      ...["space", "user", "model", "provider"].map((dimension) => `breakdown?days=365&dimension=${dimension}`),
    ]) {
      const { total } = await readReport(admin, report)
      expect(total, `${report}, rolled ${rolled}`).toMatchObject(expected)
    }
  }
})
