import { composed, storedRow } from "../base/casts.ts"
import { type ComponentPrices, columnOf, singlesOf, TOKEN_COMPONENTS } from "./price-components.ts"
import { knownOf, type PriceTerms, type PriceTier, type TermedPrice, WHOLE_FACTOR } from "./price-terms.ts"

/** The prices that a provider charges, with the columns of a price version. */
export type ProviderPrices = ComponentPrices & PriceTerms

/** How our prices are made of the provider's. */
export interface PriceMarkup {
  /** The part that is added to every price, in ten-thousandths: 2,000 are 20 percent. */
  ten_thousandths: number
  /** The amount that is added to every price per million tokens, in credit micros. */
  per_million: number
}

/** The columns of a price version that tell what we pay. Nothing that holds, bills or is shown to owners reads them. */
export interface PriceSources {
  /** Null: the same as our prices. */
  provider_prices: ProviderPrices | null
  /** Null: our prices are a list of their own. */
  price_markup: PriceMarkup | null
}

export const SOURCE_COLUMNS = ["provider_prices", "price_markup"] as const satisfies (keyof PriceSources)[]

/** A version of our prices, with the provider's as rows have them. */
export type SourcedPrice = TermedPrice & { provider_prices?: unknown }

/** The prices that we pay for calls at a version of our prices. */
export const providerPriceOf = (price: SourcedPrice): TermedPrice =>
  storedRow<TermedPrice | null | undefined>(price.provider_prices) ?? price

/** The modifiers among `names` that neither our prices nor the provider's have a factor for. */
export function unknownTo(price: SourcedPrice, names: readonly string[]): string[] {
  const known = [...knownOf(price, names), ...knownOf(providerPriceOf(price), names)]
  return names.filter((name) => !known.includes(name))
}

const SINGLES = [...singlesOf("chat"), ...singlesOf("image")]

/** Our prices: the provider's with a markup, each rounded up to a credit micro. Factors stay the same. */
export function markedUp(prices: ProviderPrices, markup: PriceMarkup): ProviderPrices {
  const raised = (price: number | null, added: number) =>
    price === null ? null : Math.ceil((price * (WHOLE_FACTOR + markup.ten_thousandths)) / WHOLE_FACTOR) + added
  const perTokens = (row: Partial<ComponentPrices>) =>
    Object.fromEntries(
      TOKEN_COMPONENTS.map((name) => [columnOf(name), raised(row[columnOf(name)] ?? null, markup.per_million)]),
    )
  return composed({
    ...perTokens(prices),
    ...Object.fromEntries(SINGLES.map((name) => [columnOf(name), raised(prices[columnOf(name)], 0)])),
    price_tiers:
      prices.price_tiers?.map((tier: PriceTier) => ({
        above_input_tokens: tier.above_input_tokens,
        ...perTokens(tier),
      })) ?? null,
    price_modifiers: prices.price_modifiers,
  })
}
