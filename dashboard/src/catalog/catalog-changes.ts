import type { ModelCatalogRow, ModelPrices } from "../api/operations.ts"
import { MODEL_PRICES } from "../api/prices.ts"
import { listedOf, requestOf, termsOf, textsOf } from "./catalog-price-texts.ts"

type Prices = Record<string, unknown>

/** A price that changes, in USD; null: no price. */
export interface PriceChange {
  label: string
  before: number | null
  after: number | null
}

/** The prices of a request by their names in words, with those of its tiers. */
function linesOf(prices: Prices): Map<string, number | null> {
  const amounts = (of: Prices, suffix: string) =>
    MODEL_PRICES.filter(({ name }) => name in of).map(({ name, label }) => {
      const value = of[name]
      return [`${label}${suffix}`, typeof value === "number" ? value : null] as const
    })
  const tiers = (prices.tiers ?? []) as (Prices & { above_input_tokens: number })[]
  return new Map([
    ...amounts(prices, ""),
    ...tiers.flatMap((tier) => amounts(tier, ` above ${tier.above_input_tokens.toLocaleString()} tokens`)),
  ])
}

/** The prices that differ, each before and after. */
function priceChanges(before: object, after: object): PriceChange[] {
  const [old, next] = [linesOf({ ...before }), linesOf({ ...after })]
  return [...new Set([...old.keys(), ...next.keys()])]
    .map((label) => ({ label, before: old.get(label) ?? null, after: next.get(label) ?? null }))
    .filter((line) => line.before !== line.after)
}

const requestOfRow = (row: ModelCatalogRow) => ({ ...requestOf(textsOf(row), row.kind), ...termsOf(row) })

/** Our prices that change between two rows, and the provider's. */
export function rowChanges(before: ModelCatalogRow, after: ModelCatalogRow): PriceChange[] {
  const listed = priceChanges(requestOfRow(listedOf(before)), requestOfRow(listedOf(after)))
  return [
    ...priceChanges(requestOfRow(before), requestOfRow(after)),
    ...(before.provider_prices || after.provider_prices
      ? listed.map((line) => ({ ...line, label: `Provider: ${line.label}` }))
      : []),
  ]
}

/** The provider's prices that a proposal changes. Ours follow them, or stay. */
export function proposalChanges(row: ModelCatalogRow, prices: ModelPrices): PriceChange[] {
  const listed = "provider" in prices && prices.provider ? prices.provider : prices
  return priceChanges(requestOfRow(listedOf(row)), listed)
}
