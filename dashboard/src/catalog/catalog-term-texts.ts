import type { ModelCatalogRow, ModelPrices } from "../api/operations.ts"
import { plainNumber } from "../ui/plain.ts"
import { type PriceText, pricesOf } from "./catalog-price-texts.ts"

/** A tier in a form: the text of its limit and of each price. */
export interface TierText {
  above: string
  prices: PriceText
}

/** A factor in a form. */
export interface FactorText {
  tier: string
  factor: string
}

export interface TermsText {
  tiers: TierText[]
  factors: FactorText[]
}

type ChatPrices = Extract<ModelPrices, { output: unknown }>
type Terms = Pick<ModelCatalogRow, "price_tiers" | "price_modifiers">
type Tier = ModelCatalogRow["price_tiers"][number]
type TokenPrice = Exclude<keyof Tier, "above_input_tokens">

/** The prices that a tier has: those of tokens. */
export const TIER_PRICES = pricesOf("chat").filter(({ perUnit }) => !perUnit)

const textOf = (price: unknown) => (typeof price === "number" ? plainNumber(price) : "")

export const termsTextOf = ({ price_tiers, price_modifiers }: Terms): TermsText => ({
  tiers: price_tiers.map((tier) => ({
    above: String(tier.above_input_tokens),
    prices: Object.fromEntries(TIER_PRICES.map(({ name }) => [name, textOf(tier[name as TokenPrice])])),
  })),
  factors: Object.entries(price_modifiers).map(([tier, factor]) => ({ tier, factor: plainNumber(factor) })),
})

const isNumber = (text = "") => text.trim() !== "" && !Number.isNaN(Number(text))

/** True if each limit, factor and required price is a number, and no factor stands twice. */
export const termsAreWhole = ({ tiers, factors }: TermsText) =>
  tiers.every(
    ({ above, prices }) =>
      isNumber(above) &&
      TIER_PRICES.every(({ name, required }) =>
        (prices[name] ?? "").trim() === "" ? !required : isNumber(prices[name]),
      ),
  ) &&
  factors.every(({ tier, factor }) => tier.trim() !== "" && isNumber(factor)) &&
  new Set(factors.map(({ tier }) => tier.trim())).size === factors.length

/** The terms as a request sets them. */
export const requestOfTerms = ({ tiers, factors }: TermsText) =>
  ({
    tiers: tiers.map(({ above, prices }) => ({
      above_input_tokens: Number(above),
      ...Object.fromEntries(
        TIER_PRICES.map(({ name }) => [name, isNumber(prices[name]) ? Number(prices[name]) : null]),
      ),
    })),
    modifiers: Object.fromEntries(factors.map(({ tier, factor }) => [tier.trim(), Number(factor)])),
  }) as Required<Pick<ChatPrices, "tiers" | "modifiers">>
