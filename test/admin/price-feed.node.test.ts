import { expect, test } from "vitest"
import { compareWithFeed } from "../../src/catalog/compare-feed.ts"
import { priceRowOf, type UsdPrices } from "../../src/catalog/price-components.ts"
import { findInFeed, type PriceFeed, pricesOn, releasedFeed } from "../../src/catalog/price-feed.ts"
import { versionOfRequest } from "../../src/catalog/source-schemas.ts"
import { termRowOf } from "../../src/catalog/term-schemas.ts"

const NOW = new Date("2026-11-29T12:00:00Z")
const USD = { input: 2, cached: 0.2, cache_write: 2.5, output: 10 }
const LONG = { input: 4, cached: 0.4, cache_write: 5, output: 15 }

type Rows = Parameters<typeof compareWithFeed>[0]
type Terms = Parameters<typeof termRowOf>[0]

function rowOf(model: string, usd: UsdPrices, { terms = {}, ...more }: { terms?: Terms } & Partial<Rows[number]> = {}) {
  const engine = more.engine ?? "openai"
  const own = { pin: `${engine}/${model}`, engine, model, label: model, kind: "chat", enabled: true, version: 3 }
  const prices = { ...priceRowOf(usd), ...termRowOf(terms), price_version: 1, former: null }
  return { ...own, context_tokens: 400_000, ...prices, ...more } as Rows[number]
}

const tier = (above_input_tokens: number, usd: UsdPrices) => ({ above_input_tokens, usd })
const FEED: PriceFeed = {
  source: { package: "planted", version: "1.0.0", published_on: "2026-11-01" },
  models: [
    {
      engine: "openai",
      id: "one",
      match: "^one$|^one-\\d+$",
      context_tokens: 400_000,
      prices: [{ from: null, usd: { ...USD, web_search: 0.01 }, tiers: [] }],
    },
    {
      engine: "openai",
      id: "long",
      match: "^long",
      context_tokens: null,
      prices: [
        { from: null, usd: { input: 99, output: 99 }, tiers: [] },
        { from: "2026-11-01", usd: USD, tiers: [tier(200_000, LONG)] },
        { from: "2026-12-24", usd: { ...USD, output: 8 }, tiers: [tier(200_000, LONG)] },
      ],
    },
  ],
  retirements: { "openai/one": "2026-12-24", "openai/one-1": "2026-11-29", "openai/one-2": "2027-03-01" },
}

const compared = (row: Rows[number], now = NOW) => {
  const [model] = compareWithFeed([row], FEED, now).items
  if (!model) throw new Error("no model")
  return model
}
const found = (row: Rows[number], now = NOW) => {
  return compared(row, now).findings.map(({ kind, component, above_input_tokens, ours, feed, percent, on }) =>
    [kind, component, above_input_tokens, ours, feed, percent, on].filter((value) => value !== null),
  )
}
const EQUAL = { ...USD, web_search: 0.01 }
const LONG_TIER = { above_input_tokens: 200_000, cache_write_hour: null, audio_input: null, reasoning: null, ...LONG }

test("Equal prices are no finding, and a price that means another one is equal to it", () => {
  expect(compared(rowOf("one-3", EQUAL))).toMatchObject({ feed_model: "one", findings: [], proposal: null })
  const likeInput = { ...FEED.models[0]?.prices[0]?.usd, cache_write: 2 }
  const feed = {
    ...FEED,
    models: FEED.models.map((model) => ({ ...model, prices: [{ from: null, usd: likeInput, tiers: [] }] })),
  }
  const { cache_write: _same, ...usd } = EQUAL
  expect(compareWithFeed([rowOf("one-3", usd)], feed, NOW).finding_count).toBe(0)
})

test("A price that differs is found for its component, with both amounts and percent", () => {
  const row = rowOf("one-3", { ...EQUAL, output: 8, cached: 0, cache_write: null, web_search: null })
  expect(found(row)).toEqual([
    ["price", "cached", 0, 0.2],
    ["price", "cache_write", 2, 2.5, 25],
    ["price", "output", 8, 10, 25],
    ["price", "web_search", 0, 0.01],
  ])
  expect(compared(row).findings.map(({ text }) => text)).toEqual([
    "Cached input: 0 → 0.2 USD.",
    "Cache writes, five minutes: 2 → 2.5 USD (+25 %).",
    "Output: 8 → 10 USD (+25 %).",
    "Web search: 0 → 0.01 USD.",
  ])
})

test("A proposal has the feed's amounts, and keeps what the feed does not have", () => {
  const row = rowOf("one-3", { ...EQUAL, output: 8, reasoning: 9 }, { terms: { modifiers: { flex: 0.5 } } })
  expect(compared(row)).toMatchObject({
    not_compared: ["reasoning", "modifiers"],
    proposal: {
      begins_at: null,
      prices: { ...EQUAL, reasoning: 9, cache_write_hour: null, tiers: [], modifiers: { flex: 0.5 } },
    },
  })
})

test("Tiers that are missing, unknown or of another price are found", () => {
  const none = rowOf("long", USD)
  expect(found(none)).toEqual([
    ["tier_missing", 200_000],
    ["announced", "2026-12-24"],
  ])
  expect(compared(none).proposal).toEqual({
    begins_at: null,
    prices: expect.objectContaining({ ...USD, web_search: null, tiers: [LONG_TIER], modifiers: {} }),
  })
  const other = rowOf("long", USD, { terms: { tiers: [{ ...LONG_TIER, above_input_tokens: 272_000 }] } })
  expect(found(other)).toEqual([
    ["tier_missing", 200_000],
    ["tier_unknown", 272_000],
    ["announced", "2026-12-24"],
  ])
  const cheap = rowOf("long", USD, { terms: { tiers: [{ ...LONG_TIER, output: 12 }] } })
  expect(found(cheap)).toEqual([
    ["tier_price", "output", 200_000, 12, 15, 25],
    ["announced", "2026-12-24"],
  ])
})

test("Prices that the feed announces are proposed from their day on, and count on it", () => {
  const equal = rowOf("long", USD, { terms: { tiers: [LONG_TIER] } })
  expect(compared(equal)).toMatchObject({
    findings: [{ kind: "announced", on: "2026-12-24" }],
    proposal: { begins_at: "2026-12-24T00:00:00.000Z", prices: { output: 8, tiers: [LONG_TIER] } },
  })
  const [before, from] = [-1, 0].map((ms) => new Date(Date.parse("2026-12-24") + ms))
  expect(found(equal, before)).toEqual([["announced", "2026-12-24"]])
  expect(found(equal, from)).toEqual([["price", "output", 10, 8, -20]])
})

test("Models near their retirement, of another window, and unknown models are found", () => {
  expect(found(rowOf("one", EQUAL))).toEqual([["retirement", "2026-12-24"]])
  expect(found(rowOf("one", EQUAL), new Date("2026-09-24T23:59:59Z")), "more than 90 days before").toEqual([])
  expect(compared(rowOf("one-1", EQUAL)).findings[0]?.text).toBe("The provider has retired the model on 2026-11-29.")
  expect(found(rowOf("one-2", EQUAL))).toEqual([])
  expect(found(rowOf("one-3", EQUAL, { context_tokens: 128_000 }))).toEqual([["context", 128_000, 400_000]])
  expect(found(rowOf("one-3", EQUAL, { context_tokens: null })), "an unknown window").toEqual([])
  expect(compared(rowOf("other", EQUAL))).toMatchObject({ feed_model: null, findings: [{ kind: "unknown_model" }] })
})

test("Compatible servers and pictures are not compared, and the rehearsal model is left out", () => {
  expect(compared(rowOf("one", EQUAL, { engine: "openai-compatible" }))).toMatchObject({
    findings: [],
    not_compared: [expect.stringContaining("compatible server")],
  })
  const picture = rowOf("one-3", { image: 0.04 }, { kind: "image" })
  expect(compared(picture)).toMatchObject({ findings: [], not_compared: [expect.stringContaining("picture")] })
  expect(compareWithFeed([rowOf("standard", EQUAL, { engine: "rehearsal" })], FEED, NOW).items).toEqual([])
})

test("The data of a feed has an age", () => {
  expect(compareWithFeed([], FEED, NOW).feed).toEqual({ ...FEED.source, age_days: 28 })
})

test("Each model of the released feed is found by its id and makes valid proposals that are then equal", () => {
  const feed = releasedFeed()
  expect(feed.models.length).toBeGreaterThan(100)
  for (const model of feed.models) {
    expect(findInFeed(feed, model.engine, model.id)).toBe(model)
    const { current } = pricesOn(model, NOW)
    expect(current, model.id).not.toBeNull()
    const row = rowOf(model.id, { input: 77, cached: 77, output: 77 }, { engine: model.engine, context_tokens: null })
    const [first] = compareWithFeed([row], feed, NOW).items
    const prices = first?.proposal?.prices
    if (!prices) throw new Error(`${model.id} has no proposal.`)
    const [then] = compareWithFeed([{ ...row, ...versionOfRequest(prices) } as Rows[number]], feed, NOW).items
    expect(
      then?.findings.filter(({ kind }) => kind !== "retirement"),
      model.id,
    ).toEqual([])
  }
})

test("A feed is compared with the provider's prices, and a proposal keeps the markup or our own list", () => {
  const price_markup = { ten_thousandths: 1_000, per_million: 0 }
  const theirs = { ...priceRowOf(EQUAL), ...termRowOf({}) }
  expect(found(rowOf("one", { input: 77, output: 77 }, { provider_prices: theirs, context_tokens: null }))).toEqual([
    ["retirement", "2026-12-24"],
  ])
  const old = { ...theirs, price_output: 90_000_000 }
  const marked = rowOf("one", { input: 77, output: 77 }, { provider_prices: old, price_markup })
  expect(found(marked)[0]).toEqual(["price", "output", 9, 10, 11.1])
  expect(compared(marked).proposal?.prices).toMatchObject({ provider: EQUAL, markup: { percent: 10 } })
  const own = rowOf("one", { input: 77, output: 77 }, { provider_prices: old, terms: { modifiers: { flex: 0.5 } } })
  const prices = compared(own).proposal?.prices
  expect(prices).toMatchObject({
    input: 77,
    output: 77,
    modifiers: { flex: 0.5 },
    provider: { ...EQUAL, modifiers: {} },
  })
})

test("The released feed has the long prompts of OpenAI and a retirement of Anthropic", () => {
  const feed = releasedFeed()
  expect(findInFeed(feed, "openai", "gpt-6-sol")?.prices[0]?.tiers).toMatchObject([{ above_input_tokens: 272_000 }])
  expect(findInFeed(feed, "anthropic", "claude-sonnet-4-5-20250929")?.id).toBe("claude-sonnet-4-5")
  expect(feed.retirements["anthropic/claude-sonnet-4-5-20250929"]).toBe("2026-11-30")
})
