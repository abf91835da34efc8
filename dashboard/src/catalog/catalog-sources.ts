import type { ModelCatalogRow, ModelPrices } from "../api/operations.ts"
import { plainNumber } from "../ui/plain.ts"
import {
  type Kind,
  listedOf,
  type PriceText,
  pricesAreWhole,
  requestOf,
  rowPricesOf,
  textsOf,
} from "./catalog-price-texts.ts"
import { requestOfTerms, type TermsText, termsAreWhole, termsTextOf } from "./catalog-term-texts.ts"

/** Where our prices come from. */
export type Source = "same" | "markup" | "own"

export interface MarkupText {
  percent: string
  usd: string
}

export const sourceOf = ({ provider_prices, markup }: ModelCatalogRow): Source =>
  markup ? "markup" : provider_prices ? "own" : "same"

/** The markup of a form for a model that has none. */
const NO_MARKUP: MarkupText = { percent: "20", usd: "0" }

export const textsOfMarkup = ({ markup }: ModelCatalogRow): MarkupText => ({
  percent: markup ? plainNumber(markup.percent) : NO_MARKUP.percent,
  usd: markup ? plainNumber(markup.usd_per_million_tokens) : NO_MARKUP.usd,
})

const isAmount = (text: string) => text.trim() !== "" && !Number.isNaN(Number(text))

export const markupIsWhole = ({ percent, usd }: MarkupText) => isAmount(percent) && isAmount(usd)

/** The texts of a form of prices: the provider's (`listed`) and ours. */
export interface PriceTexts {
  source: Source
  text: PriceText
  listed: PriceText
  terms: TermsText
  listedTerms: TermsText
  markup: MarkupText
}

const NO_TERMS: TermsText = { tiers: [], factors: [] }

export const NO_TEXTS: PriceTexts = {
  source: "same",
  text: {},
  listed: {},
  terms: NO_TERMS,
  listedTerms: NO_TERMS,
  markup: NO_MARKUP,
}

export const textsOfPrices = (row: ModelCatalogRow): PriceTexts => ({
  source: sourceOf(row),
  text: textsOf(row),
  listed: textsOf(listedOf(row)),
  terms: termsTextOf(row),
  listedTerms: termsTextOf(listedOf(row)),
  markup: textsOfMarkup(row),
})

/** True if our prices are a list of their own in the form, and if the provider's are. */
export const hasLists = ({ source }: PriceTexts) => ({ hasOwn: source !== "markup", hasListed: source !== "same" })

/** True if the form can be sent. */
export function textsAreWhole(texts: PriceTexts, kind: Kind): boolean {
  const { hasOwn, hasListed } = hasLists(texts)
  const isWhole = (text: PriceText, terms: TermsText) =>
    pricesAreWhole(text, kind) && (kind === "image" || termsAreWhole(terms))
  return (
    (!hasOwn || isWhole(texts.text, texts.terms)) &&
    (!hasListed || isWhole(texts.listed, texts.listedTerms)) &&
    (texts.source !== "markup" || markupIsWhole(texts.markup))
  )
}

const markupOf = ({ percent, usd }: MarkupText) => ({ percent: Number(percent), usd_per_million_tokens: Number(usd) })

/** The prices of a form as a request that sets prices. */
export function pricesFrom(kind: Kind, texts: PriceTexts): ModelPrices {
  const listOf = (text: PriceText, terms: TermsText) => ({
    ...requestOf(text, kind),
    ...(kind === "chat" && requestOfTerms(terms)),
  })
  const { hasOwn, hasListed } = hasLists(texts)
  return {
    ...(hasOwn && listOf(texts.text, texts.terms)),
    ...(hasListed && { provider: listOf(texts.listed, texts.listedTerms) }),
    ...(!hasOwn && { markup: markupOf(texts.markup) }),
  } as ModelPrices
}

/** The prices of a form as the fields of a new model. */
export function rowPricesFrom(kind: Kind, texts: PriceTexts) {
  const listOf = (text: PriceText, terms: TermsText) => {
    const { tiers, modifiers } = requestOfTerms(terms)
    return { ...rowPricesOf(text, kind), ...(kind === "chat" && { price_tiers: tiers, price_modifiers: modifiers }) }
  }
  const { hasOwn, hasListed } = hasLists(texts)
  return {
    ...(hasOwn && listOf(texts.text, texts.terms)),
    ...(hasListed && { provider_prices: listOf(texts.listed, texts.listedTerms) }),
    ...(!hasOwn && { markup: markupOf(texts.markup) }),
  }
}
