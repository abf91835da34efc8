import { DAY_MS } from "../base/time.ts"
import { FEED_LINES, FEED_SOURCE, RETIREMENTS } from "./feed-data.ts"
import type { UsdPrices } from "./price-components.ts"

/** Prices of a provider in USD. A component that is left out is not in the feed. */
export interface FeedPrices {
  /** The day in UTC from which they count; null: always. */
  from: string | null
  usd: UsdPrices
  tiers: { above_input_tokens: number; usd: UsdPrices }[]
}

/** A model of the feed, which scripts/generate-price-feed.ts makes. */
export interface FeedModel {
  engine: string
  id: string
  /** A regular expression of the names that the provider takes for it. */
  match: string
  context_tokens: number | null
  /** In the order of their days. */
  prices: FeedPrices[]
}

/** What prices are compared with. Tests have one of their own. */
export interface PriceFeed {
  source: { package: string; version: string; published_on: string }
  models: FeedModel[]
  /** The day on which a model retires, by its pin. */
  retirements: Readonly<Record<string, string>>
}

/** The feed of this release. It is parsed for each comparison, so that a worker does not keep it. */
export const releasedFeed = (): PriceFeed => ({
  source: FEED_SOURCE,
  models: FEED_LINES.split("\n").map((line) => JSON.parse(line) as FeedModel),
  retirements: RETIREMENTS,
})

/** The version of the released feed, without parsing it. */
export const FEED_VERSION = `${FEED_SOURCE.package} ${FEED_SOURCE.version}`

/** The model of the feed with this name: the one with this id, or the first whose names fit. */
export function findInFeed({ models }: PriceFeed, engine: string, name: string): FeedModel | null {
  const own = models.filter((model) => model.engine === engine)
  return own.find(({ id }) => id === name) ?? own.find(({ match }) => new RegExp(match).test(name)) ?? null
}

/** The prices of a model on a day, and the next ones that the feed announces. */
export function pricesOn({ prices }: FeedModel, now: Date): { current: FeedPrices | null; next: FeedPrices | null } {
  const hasBegun = ({ from }: FeedPrices) => from === null || Date.parse(from) <= now.getTime()
  return { current: prices.findLast(hasBegun) ?? null, next: prices.find((one) => !hasBegun(one)) ?? null }
}

/** The age of the data in whole days. */
export const ageOf = ({ source }: PriceFeed, now: Date) =>
  Math.max(0, Math.floor((now.getTime() - Date.parse(source.published_on)) / DAY_MS))
