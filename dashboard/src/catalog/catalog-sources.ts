import type { ModelCatalogRow, ModelPrices } from "../api/operations.ts"
import { plainNumber } from "../ui/plain.ts"
import { type PriceText, requestOf } from "./catalog-price-texts.ts"
import { requestOfTerms, type TermsText } from "./catalog-term-texts.ts"

/** Where our prices come from. */
export type Source = "same" | "markup" | "own"

export interface MarkupText {
  percent: string
  usd: string
}

export const sourceOf = ({ provider_prices, markup }: ModelCatalogRow): Source =>
  markup ? "markup" : provider_prices ? "own" : "same"

export const textsOfMarkup = ({ markup }: ModelCatalogRow): MarkupText => ({
  percent: plainNumber(markup?.percent ?? 20),
  usd: plainNumber(markup?.usd_per_million_tokens ?? 0),
})

const isAmount = (text: string) => text.trim() !== "" && !Number.isNaN(Number(text))

export const markupIsWhole = ({ percent, usd }: MarkupText) => isAmount(percent) && isAmount(usd)

interface Texts {
  text: PriceText
  listed: PriceText
  terms: TermsText
  listedTerms: TermsText
  markup: MarkupText
}

/** The prices of a form as a request. */
export function pricesFrom(of: ModelCatalogRow, source: Source, texts: Texts): ModelPrices {
  const { markup, terms, listedTerms } = texts
  const listOf = (text: PriceText, own: TermsText) => ({
    ...requestOf(text, of.kind),
    ...(of.kind === "chat" && requestOfTerms(own)),
  })
  const ours = listOf(texts.text, terms)
  if (source === "same") return ours as ModelPrices
  const provider = listOf(texts.listed, listedTerms)
  if (source === "own") return { ...ours, provider } as ModelPrices
  const made = { percent: Number(markup.percent), usd_per_million_tokens: Number(markup.usd) }
  return { provider, markup: made } as ModelPrices
}
