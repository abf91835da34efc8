import { storedRow } from "../base/casts.ts"
import { toUsd } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import { currentRow } from "./planned-prices.ts"
import { FEED_ENGINES, PRICE_FEED_POLICY } from "./policies.ts"
import {
  type ComponentPrices,
  columnOf,
  componentOf,
  componentsOf,
  priceRowOf,
  requestNameOf,
  TOKEN_COMPONENTS,
  type UsdPrices,
  unitPriceOf,
  usdOf,
} from "./price-components.ts"
import { ageOf, type FeedPrices, findInFeed, type PriceFeed, pricesOn } from "./price-feed.ts"
import type { PriceTerms } from "./price-terms.ts"
import type { ComparedModel, Finding, Proposals } from "./proposal-schemas.ts"
import type { PriceSources } from "./provider-prices.ts"
import { modelPricesSchema, requestListOf, serializeSources } from "./source-schemas.ts"
import { serializeTerms } from "./term-schemas.ts"

export type CatalogPrices = ComponentPrices &
  Pick<
    JsonRow<"model_catalog">,
    | "pin"
    | "engine"
    | "model"
    | "label"
    | "kind"
    | "enabled"
    | "context_tokens"
    | "version"
    | "price_tiers"
    | "price_modifiers"
    | keyof PriceSources
  > & {
    /** The prices until the row's own begin. */
    former: unknown
  }
type Tier = { above_input_tokens: number; usd: UsdPrices }

const CHAT = componentsOf("chat")

/** Compares the catalog's prices with a feed's. Changes nothing. */
export function compareWithFeed(rows: readonly CatalogPrices[], feed: PriceFeed, now: Date): Proposals {
  const items = rows.filter(({ engine }) => engine !== "rehearsal").map((row) => compareModel(row, feed, now))
  return {
    feed: { ...feed.source, age_days: ageOf(feed, now) },
    checked_at: now.toISOString(),
    finding_count: items.reduce((sum, { findings }) => sum + findings.length, 0),
    items,
  }
}

function compareModel(planned: CatalogPrices, feed: PriceFeed, now: Date): ComparedModel {
  const row = currentRow(planned)
  const { pin, label, enabled, version } = row
  const compared = { pin, label, enabled, version, feed_model: null, findings: [], not_compared: [], proposal: null }
  if (!FEED_ENGINES.includes(row.engine)) {
    return { ...compared, not_compared: ["the model: the feed cannot tell which provider a compatible server has"] }
  }
  const retirement = retirementOf(feed.retirements[pin], now)
  if (row.kind === "image") {
    return { ...compared, findings: retirement, not_compared: ["picture: providers price the tokens of a picture"] }
  }
  const model = findInFeed(feed, row.engine, row.model)
  const { current, next } = model ? pricesOn(model, now) : { current: null, next: null }
  if (model === null || current === null) {
    const text = "The feed does not know this model."
    return { ...compared, findings: [finding("unknown_model", text), ...retirement] }
  }
  // The feed has prices that we pay.
  const listed = listedBy(row)
  const prices = compareVersion(listed, current)
  const later = next ? compareVersion(listedBy(planned), next) : []
  const due = planned.former ? null : prices.length > 0 ? current : later.length > 0 ? next : null
  return {
    ...compared,
    feed_model: model.id,
    findings: [
      ...prices,
      ...(next?.from && later.length > 0 ? [announced(next.from)] : []),
      ...compareContext(row.context_tokens, model.context_tokens),
      ...retirement,
    ],
    not_compared: notCompared(listed, current),
    proposal: due && {
      begins_at: due === next ? beginOf(due) : null,
      prices: modelPricesSchema.parse(withOurs(row, proposedPrices(listed, due))),
    },
  }
}

/** A version with the prices of the provider. */
const listedBy = (row: CatalogPrices): CatalogPrices => ({ ...row, ...storedRow<PriceSources>(row).provider_prices })

const beginOf = ({ from }: FeedPrices) => (from === null ? null : new Date(from).toISOString())

const finding = (kind: Finding["kind"], text: string, more: Partial<Finding> = {}): Finding => ({
  kind,
  component: null,
  above_input_tokens: null,
  ours: null,
  feed: null,
  percent: null,
  on: null,
  ...more,
  text,
})

const announced = (on: string) => finding("announced", `The provider changes its prices on ${on}.`, { on })

/** The prices and tiers of a version that differ from the feed's. */
function compareVersion(row: CatalogPrices, { usd, tiers }: FeedPrices): Finding[] {
  const ours = tiersOf(row)
  const limits = [...ours, ...tiers].map(({ above_input_tokens }) => above_input_tokens)
  return [
    ...comparePrices("price", usdOfRow(row), usd, null),
    ...[...new Set(limits)].sort((one, other) => one - other).flatMap((limit) => compareTier(limit, ours, tiers)),
  ]
}

function compareTier(limit: number, ours: Tier[], theirs: Tier[]): Finding[] {
  const [mine, feed] = [ours, theirs].map((tiers) =>
    tiers.find(({ above_input_tokens }) => above_input_tokens === limit),
  )
  const at = { above_input_tokens: limit }
  const prompts = `prompts above ${limit.toLocaleString("en-US")} tokens`
  if (!mine) return [finding("tier_missing", `The provider has other prices for ${prompts}.`, at)]
  if (!feed) return [finding("tier_unknown", `The provider has no other prices for ${prompts}.`, at)]
  return comparePrices("tier_price", mine.usd, feed.usd, limit)
}

function comparePrices(kind: "price" | "tier_price", ours: UsdPrices, theirs: UsdPrices, limit: number | null) {
  const micros = { ours: priceRowOf(ours), theirs: priceRowOf(theirs) }
  return CHAT.flatMap((name) => {
    const feed = theirs[name]
    // Without a price the hour is never requested, so it costs nothing.
    if (feed === undefined || feed === null || (name === "cache_write_hour" && ours[name] === null)) return []
    const mine = unitPriceOf(micros.ours, name)
    if ((mine ?? 0) === micros.theirs[columnOf(name)]) return []
    const usd = mine === null ? 0 : toUsd(mine)
    const percent = usd === 0 ? null : Math.round(((feed - usd) / usd) * 1000) / 10
    const where = limit === null ? "" : ` above ${limit.toLocaleString("en-US")} tokens`
    const by = percent === null ? "" : ` (${percent > 0 ? "+" : ""}${percent} %)`
    const text = `${componentOf(name).label}${where}: ${usd} → ${feed} USD${by}.`
    return [finding(kind, text, { component: name, above_input_tokens: limit, ours: usd, feed, percent })]
  })
}

/** The components of a model in USD; null: it has no own price. */
const usdOfRow = (row: Partial<ComponentPrices>): UsdPrices =>
  Object.fromEntries(CHAT.map((name) => [name, usdOf(row[columnOf(name)] ?? null)]))

const tiersOf = (row: CatalogPrices): Tier[] =>
  (storedRow<PriceTerms>(row).price_tiers ?? []).map(({ above_input_tokens, ...prices }) => {
    const usd = usdOfRow(prices)
    return { above_input_tokens, usd: Object.fromEntries(TOKEN_COMPONENTS.map((name) => [name, usd[name]])) }
  })

/** The model's prices with all amounts of the feed. A price that the feed does not have stays. */
function proposedPrices(row: CatalogPrices, { usd, tiers }: FeedPrices) {
  const base = mixed(usdOfRow(row), usd)
  const ours = tiersOf(row)
  return {
    ...Object.fromEntries(CHAT.map((name) => [requestNameOf(name), base[name] ?? null])),
    tiers: tiers.map(({ above_input_tokens, usd: above }) => {
      const own = ours.find((tier) => tier.above_input_tokens === above_input_tokens)
      const prices = mixed(own?.usd ?? base, above)
      return {
        above_input_tokens,
        ...Object.fromEntries(TOKEN_COMPONENTS.map((name) => [name, prices[name] ?? null])),
      }
    }),
    modifiers: serializeTerms(row).price_modifiers,
  }
}

/** A request with a proposal for the provider's prices. Ours follow them, by the markup if there is one, or stay. */
function withOurs(row: CatalogPrices, proposed: ReturnType<typeof proposedPrices>) {
  const { provider_prices: listed, markup } = serializeSources(row)
  if (markup) return { provider: proposed, markup }
  if (!listed) return proposed
  return { ...requestListOf(row), provider: proposed }
}

/** The hour stays without a price, since a price would make calls request it. */
const mixed = (ours: UsdPrices, { cache_write_hour: hour, ...theirs }: UsdPrices): UsdPrices => ({
  ...ours,
  ...theirs,
  ...(typeof ours.cache_write_hour === "number" && typeof hour === "number" && { cache_write_hour: hour }),
})

/** The model's own prices that the feed lacks, and factors, which it cannot express. */
const notCompared = (row: CatalogPrices, { usd }: FeedPrices): string[] => [
  ...CHAT.filter((name) => typeof row[columnOf(name)] === "number" && typeof usd[name] !== "number"),
  ...(row.price_modifiers === null ? [] : ["modifiers"]),
]

function compareContext(ours: number | null, feed: number | null): Finding[] {
  if (ours === null || feed === null || ours === feed) return []
  const [mine, theirs] = [ours, feed].map((tokens) => tokens.toLocaleString("en-US"))
  return [
    finding("context", `The context window has ${mine} tokens in the catalog and ${theirs} in the feed.`, {
      ours,
      feed,
    }),
  ]
}

function retirementOf(on: string | undefined, now: Date): Finding[] {
  if (on === undefined || Date.parse(on) - now.getTime() > PRICE_FEED_POLICY.retirementDays * DAY_MS) return []
  const verb = Date.parse(on) <= now.getTime() ? "has retired" : "retires"
  return [finding("retirement", `The provider ${verb} the model on ${on}.`, { on })]
}
