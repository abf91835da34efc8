import { afterAll, beforeAll, expect, test } from "vitest"
import { namesOfTier } from "../../src/agent/service-tier.ts"
import { affordableOutput, priceOf, worstPriceOf } from "../../src/billing/price.ts"
import { RELEASE } from "../../src/platform/procedures.ts"
import { createRandom, type Random } from "../harness/random.ts"
import { createWorld, type World } from "../harness/world.ts"

let world: World
beforeAll(async () => {
  world = await createWorld()
})
afterAll(() => world.close())

const MILLION = 1_000_000n
const roundedUp = (parts: bigint) => (parts + MILLION - 1n) / MILLION

/** Random prices and counts. Cache writes often have no price of their own. */
function sampleOf({ int }: Random) {
  const upTo = (most: number) => int(most + 1)
  const price = () => (upTo(3) === 0 ? upTo(2) : upTo(500_000_000))
  const orNull = () => (upTo(2) === 0 ? null : price())
  const [cached, forFiveMinutes, forHour, fresh] = [upTo(200_000), upTo(50_000), upTo(50_000), upTo(200_000)]
  const [audio, searches, xSearches, runs] = [upTo(50_000), upTo(20), upTo(20), upTo(20)]
  return {
    price: {
      price_input: price(),
      price_cached: price(),
      price_output: price(),
      price_cache_write: orNull(),
      price_cache_write_hour: orNull(),
      price_audio_input: orNull(),
      price_web_search: orNull(),
      price_x_search: orNull(),
      price_code_execution: orNull(),
      price_reasoning: orNull(),
    },
    parts: {
      fresh,
      cached,
      forFiveMinutes,
      forHour,
      audio,
      searches,
      xSearches,
      runs,
      output: upTo(60_000),
      thought: upTo(60_000),
    },
  }
}

test("The cost of 2,000 random calls equals a sum that knows no components, and never exceeds the worst case", () => {
  const random = createRandom("price components")
  for (let at = 0; at < 2_000; at++) {
    const { price, parts } = sampleOf(random)
    const write = price.price_cache_write ?? price.price_input
    const hour = price.price_cache_write_hour ?? write
    const expected = roundedUp(
      BigInt(parts.fresh) * BigInt(price.price_input) +
        BigInt(parts.cached) * BigInt(price.price_cached) +
        BigInt(parts.forFiveMinutes) * BigInt(write) +
        BigInt(parts.forHour) * BigInt(hour) +
        BigInt(parts.audio) * BigInt(price.price_audio_input ?? price.price_input) +
        BigInt(parts.searches) * BigInt(price.price_web_search ?? 0) * MILLION +
        BigInt(parts.xSearches) * BigInt(price.price_x_search ?? 0) * MILLION +
        BigInt(parts.runs) * BigInt(price.price_code_execution ?? 0) * MILLION +
        BigInt(parts.output) * BigInt(price.price_output) +
        BigInt(parts.thought) * BigInt(price.price_reasoning ?? price.price_output),
    )
    const written = parts.forFiveMinutes + parts.forHour
    const counts = {
      tokensInput: parts.fresh + parts.cached + written + parts.audio,
      tokensCached: parts.cached,
      tokensCacheWritten: written,
      tokensCacheWrittenHour: parts.forHour,
      tokensAudio: parts.audio,
      webSearches: parts.searches,
      xSearches: parts.xSearches,
      codeExecutions: parts.runs,
      tokensOutput: parts.output + parts.thought,
      tokensReasoning: parts.thought,
    }
    expect(BigInt(priceOf(price, counts)), JSON.stringify({ price, parts })).toBe(expected)
    const worst = worstPriceOf(price, counts.tokensInput, counts.tokensOutput)
    expect(worst, JSON.stringify({ price, parts })).toBeGreaterThanOrEqual(Number(expected))
  }
})

/** Random tiers and factors. The limits are small, so that calls are often at one. */
function termsOf(random: Random) {
  const { int, pick } = random
  let above = 0
  const price_tiers = Array.from({ length: int(4) }, () => {
    above += 1 + int(120_000)
    const {
      price_web_search: _search,
      price_x_search: _xSearch,
      price_code_execution: _run,
      ...tier
    } = sampleOf(random).price
    return { above_input_tokens: above, ...tier }
  })
  const factor = () => 1 + int(pick([9_999, 60_000]))
  const names = ["flex", "priority", "fast", "geo_us", "geo_eu"].filter(() => int(2) === 0)
  const price_modifiers = Object.fromEntries(names.map((name) => [name, factor()]))
  return {
    price_tiers: price_tiers.length > 0 ? price_tiers : null,
    price_modifiers: names.length > 0 ? price_modifiers : null,
  }
}

test("A call costs its tier's prices with its factors, and never more than its bound, at each border, in 2,000 samples", () => {
  const random = createRandom("tiers")
  for (let at = 0; at < 2_000; at++) {
    const terms = termsOf(random)
    const price = { ...sampleOf(random).price, ...terms }
    const borders = (terms.price_tiers ?? []).flatMap(({ above_input_tokens: above }) => [above - 1, above, above + 1])
    const asked = random.pick([undefined, "default", "flex", "priority", "fast"])
    // A provider serves the tier that was asked for, by either of its names, or its usual service.
    const serviceTier = random.pick([[], ...namesOfTier(asked).map((name) => [name])])
    const regions = Object.keys(terms.price_modifiers ?? {}).filter((name) => name.startsWith("geo_"))
    const geo = regions.length > 0 && random.int(2) === 0 ? [random.pick(regions)] : []
    const modifiers = [...serviceTier, ...geo]
    for (const tokensInput of [...borders, random.int(400_000)]) {
      const usage = { tokensInput, tokensCached: random.int(tokensInput + 1), tokensOutput: random.int(20_000) }
      const tier = (terms.price_tiers ?? []).filter(({ above_input_tokens: above }) => tokensInput > above).at(-1)
      const ofTier = { ...price, ...tier }
      const factors = modifiers.flatMap((name) => terms.price_modifiers?.[name] ?? [])
      const scaled = (micros: number) => {
        const product = factors.reduce((all, factor) => all * BigInt(factor), BigInt(micros))
        const whole = 10_000n ** BigInt(factors.length)
        return (product + whole - 1n) / whole
      }
      const expected = roundedUp(
        BigInt(tokensInput - usage.tokensCached) * scaled(ofTier.price_input) +
          BigInt(usage.tokensCached) * scaled(ofTier.price_cached) +
          BigInt(usage.tokensOutput) * scaled(ofTier.price_output),
      )
      const told = JSON.stringify({ price, usage, modifiers })
      expect(BigInt(priceOf(price, usage, modifiers)), told).toBe(expected)
      for (const promptTokens of [tokensInput, tokensInput + 1]) {
        const worst = worstPriceOf(price, promptTokens, usage.tokensOutput, asked)
        expect(worst, told).toBeGreaterThanOrEqual(priceOf(price, usage, modifiers))
        const output = affordableOutput(price, promptTokens, worst, asked)
        const most = Math.min(output, usage.tokensOutput)
        expect(worstPriceOf(price, promptTokens, most, asked), told).toBeLessThanOrEqual(worst)
      }
    }
  }
})

test("The smallest hold in SQL equals the one of TypeScript with tiers, asked tiers and regions, for 500 random models", async () => {
  const random = createRandom("least cost of tiers")
  const samples = Array.from({ length: 500 }, () => {
    const terms = termsOf(random)
    const border = random.pick(terms.price_tiers ?? [null])?.above_input_tokens ?? random.int(300_000)
    return {
      ...sampleOf(random).price,
      ...terms,
      prompt: border + random.int(3) - 1,
      answer: random.int(60_000),
      asked: random.pick([undefined, "auto", "flex", "priority", "fast"]),
      learned: { without: random.pick([[], [], ["service_tier"]]) },
    }
  })
  const rows = await world.sql<{ least: number }>(
    `select ${RELEASE}.least_cost(jsonb_populate_record(null::model_catalog, s.one), (s.one ->> 'prompt')::bigint,
       (s.one ->> 'answer')::bigint, s.one ->> 'asked')::float8 as least
     from jsonb_array_elements($1::jsonb) with ordinality s(one, place) order by s.place`,
    [JSON.stringify(samples)],
  )
  const expected = samples.map(({ prompt, answer, asked, learned, ...price }) => {
    const tier = learned.without.length > 0 ? undefined : asked
    const ofTokens = { ...price, price_web_search: null, price_x_search: null, price_code_execution: null }
    return Math.max(
      1,
      worstPriceOf(price, prompt, 0, tier) +
        worstPriceOf(ofTokens, prompt, answer, tier) -
        worstPriceOf(ofTokens, prompt, 0, tier),
    )
  })
  rows.forEach(({ least }, at) => {
    expect(least - (expected[at] ?? 0), JSON.stringify(samples[at])).toBeGreaterThanOrEqual(0)
    expect(least - (expected[at] ?? 0), JSON.stringify(samples[at])).toBeLessThanOrEqual(1)
  })
})

test("The smallest hold in SQL equals the same sum in TypeScript for 500 random models and calls", async () => {
  const random = createRandom("least cost")
  const samples = Array.from({ length: 500 }, () => {
    const { price, parts } = sampleOf(random)
    return { ...price, prompt: parts.fresh + parts.cached, answer: parts.output }
  })
  const rows = await world.sql<{ least: string }>(
    `select ${RELEASE}.least_cost(jsonb_populate_record(null::model_catalog, s.one), (s.one ->> 'prompt')::bigint,
       (s.one ->> 'answer')::bigint, null)::text as least
     from jsonb_array_elements($1::jsonb) with ordinality s(one, place) order by s.place`,
    [JSON.stringify(samples)],
  )
  const expected = samples.map(({ prompt, answer, ...price }) => {
    const { price_output, price_reasoning, price_web_search, price_x_search, price_code_execution, ...ofPrompt } = price
    const perAnswer = Math.max(price_output, price_reasoning ?? 0)
    const dearest = Object.values(ofPrompt).reduce<number>((most, one) => Math.max(most, one ?? 0), 0)
    const units =
      20n * (BigInt(price_web_search ?? 0) + BigInt(price_x_search ?? 0) + BigInt(price_code_execution ?? 0))
    const sum = units + roundedUp(BigInt(dearest) * BigInt(prompt)) + roundedUp(BigInt(perAnswer) * BigInt(answer))
    return String(sum > 1n ? sum : 1n)
  })
  expect(rows.map(({ least }) => least)).toEqual(expected)
})
