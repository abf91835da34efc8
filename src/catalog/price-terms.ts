import { isUsualTier } from "../agent/answer-terms.ts"
import { namesOfTier } from "../agent/service-tier.ts"
import { composed, storedRows } from "../base/casts.ts"
import { type ComponentName, type ComponentPrices, columnOf, type Price, TOKEN_COMPONENTS } from "./price-components.ts"

type TokenName = (typeof TOKEN_COMPONENTS)[number]

/** The prices of whole calls with a longer prompt, in credit micros. Prices per unit are those of the model. */
export type PriceTier = Pick<Price, `price_${TokenName}`> & {
  /** The tokens of the prompt above which it counts. */
  above_input_tokens: number
}

/** The columns of a model's prices besides its components. They are part of a price version. */
export interface PriceTerms {
  /** In the order of their limits; null: the components count for all prompts. */
  price_tiers: readonly PriceTier[] | null
  /**
   * The factor of all prices per token, in ten-thousandths, by the name that an answer is read as
   * (src/agent/answer-terms.ts): a service tier, `fast`, or `geo_` and a region. Null: no factor.
   */
  price_modifiers: Readonly<Record<string, number>> | null
}

export const TERM_COLUMNS = ["price_tiers", "price_modifiers"] as const satisfies (keyof PriceTerms)[]

/** The names of regions begin so. */
export const REGION = "geo_"

/** The factor of a modifier that changes nothing. */
export const WHOLE_FACTOR = 10_000

/** The most tiers and modifiers of a model. */
export const TERM_LIMITS = { tiers: 8, modifiers: 16, factor: 100 } as const

/** A version of prices with its terms, as rows have it. */
export type TermedPrice<Row extends Partial<ComponentPrices> = Price> = Row & Partial<PriceTerms>

/** The tier of a call by its whole prompt. Null: the model's own prices. */
const tierOf = ({ price_tiers }: Partial<PriceTerms>, tokensInput: number): PriceTier | null =>
  price_tiers?.findLast(({ above_input_tokens }) => tokensInput > above_input_tokens) ?? null

/** The modifiers among `names` that the model has a factor for. */
export const knownOf = ({ price_modifiers }: Partial<PriceTerms>, names: readonly string[]) =>
  names.filter((name) => price_modifiers?.[name] !== undefined)

/** The components of one call: those of its tier, with its modifiers. A product is rounded up to a credit micro. */
export function pricesOfCall<Row extends Partial<ComponentPrices>>(
  price: TermedPrice<Row>,
  { tokensInput, modifiers = [] }: { tokensInput: number; modifiers?: readonly string[] },
): Row {
  const { price_tiers: _tiers, price_modifiers, ...own } = price
  const { above_input_tokens: _limit, ...tier } = tierOf(price, tokensInput) ?? {}
  const row = composed<Partial<ComponentPrices>>({ ...own, ...tier })
  const factors = modifiers.flatMap((name) => price_modifiers?.[name] ?? [])
  for (const name of factors.length > 0 ? TOKEN_COMPONENTS : []) {
    row[columnOf(name)] = times(row[columnOf(name)] ?? null, factors)
  }
  return composed(row)
}

/** The tier and the modifiers of a stored call, and its prices with them. */
export function termsOfCall<Row extends Partial<ComponentPrices>>(
  price: TermedPrice<Row>,
  { tokensInput, modifiers }: { tokensInput: number; modifiers: unknown },
) {
  const named = storedRows<string>(modifiers as readonly unknown[] | null)
  return {
    aboveInputTokens: tierOf(price, tokensInput)?.above_input_tokens ?? null,
    modifiers: named,
    prices: pricesOfCall(price, { tokensInput, modifiers: named }),
  }
}

function times(price: number | null, factors: readonly number[]): number | null {
  if (price === null) return null
  const product = factors.reduce((all, factor) => all * BigInt(factor), BigInt(price))
  const whole = BigInt(WHOLE_FACTOR) ** BigInt(factors.length)
  return Number((product + whole - 1n) / whole)
}

/** True if calls of the model may ask for the tier: its price is known. */
export const hasTier = (price: Partial<PriceTerms>, tier: string) =>
  isUsualTier(tier) || knownOf(price, namesOfTier(tier)).length > 0

/**
 * The modifiers that make a call dearest: the tier that it asks for, and a region, which no request names. Each only if
 * its factor is above 1, since the answer may be served in another tier or region.
 */
export const dearestModifiers = (price: Partial<PriceTerms>, tier: string | undefined): string[] => [
  ...dearestAmong(price, (name) => namesOfTier(tier).includes(name)),
  ...dearestAmong(price, (name) => name.startsWith(REGION)),
]

const dearestAmong = ({ price_modifiers }: Partial<PriceTerms>, isOne: (name: string) => boolean) =>
  Object.entries(price_modifiers ?? {})
    .filter(([name, factor]) => isOne(name) && factor > WHOLE_FACTOR)
    .sort(([, one], [, other]) => other - one)
    .map(([name]) => name)
    .slice(0, 1)

/** The highest of some components' prices that a call can have with at most this prompt and with these modifiers. */
export function dearestOf(
  price: TermedPrice,
  names: readonly ComponentName[],
  { promptTokens, modifiers }: { promptTokens: number; modifiers: readonly string[] },
): number {
  const limits = (price.price_tiers ?? []).map(({ above_input_tokens }) => above_input_tokens)
  const reached = limits.filter((limit) => limit < promptTokens).map((limit) => limit + 1)
  return Math.max(
    ...[0, ...reached].flatMap((tokensInput) => {
      const row: Partial<ComponentPrices> = pricesOfCall(price, { tokensInput, modifiers })
      return names.map((name) => row[columnOf(name)] ?? 0)
    }),
  )
}
