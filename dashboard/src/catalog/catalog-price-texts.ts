import type { ModelCatalogAdd, ModelCatalogRow, ModelPrices } from "../api/operations.ts"
import { MODEL_PRICES } from "../api/prices.ts"
import { plainNumber } from "../ui/plain.ts"

export type Kind = ModelCatalogRow["kind"]
export type PriceEntry = (typeof MODEL_PRICES)[number]

/** The text of each price. A draft from before a price existed lacks it. */
export type PriceText = Partial<Record<PriceEntry["name"], string | undefined>>

export const pricesOf = (kind: Kind): readonly PriceEntry[] => MODEL_PRICES.filter((price) => price.kind === kind)

/** True if all required prices of the kind are numbers, and the others are numbers or empty. */
export const pricesAreWhole = (text: PriceText, kind: Kind) =>
  pricesOf(kind).every(({ name, required }) => {
    const price = text[name]?.trim() ?? ""
    return price === "" ? !required : !Number.isNaN(Number(price))
  })

const orNull = (text = "") => (text.trim() === "" ? null : Number(text))

/** The prices of a kind as a request sets them. */
export const requestOf = (text: PriceText, kind: Kind) =>
  Object.fromEntries(pricesOf(kind).map(({ name }) => [name, orNull(text[name])])) as ModelPrices

/** The prices of a kind as a row of the catalog has them. */
export function rowPricesOf(text: PriceText, kind: Kind) {
  const row: Record<string, unknown> = {}
  for (const { name, place } of pricesOf(kind)) {
    const [field = "", part] = place.split(".")
    const price = orNull(text[name])
    row[field] = part === undefined ? price : { ...(row[field] as object), [part]: price }
  }
  return row as Pick<ModelCatalogAdd, "price_usd_per_million_tokens" | "price_usd_per_picture">
}

/** A row's prices: ours, or with the same fields the provider's. */
export type Priced = Pick<ModelCatalogRow, "kind" | "price_tiers" | "price_modifiers">

/** The terms of a row's prices, as a request sets them. */
export const termsOf = ({ kind, price_tiers, price_modifiers }: Priced) =>
  kind === "image" ? {} : { tiers: price_tiers, modifiers: price_modifiers }

/** The provider's prices of a row, with the same fields as ours. */
export const listedOf = (row: ModelCatalogRow): ModelCatalogRow => ({ ...row, ...row.provider_prices })

/** The texts of a row's prices. */
export function textsOf(row: ModelCatalogRow): PriceText {
  return Object.fromEntries(
    pricesOf(row.kind).map(({ name, place }) => {
      const price = place
        .split(".")
        .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], row)
      return [name, typeof price === "number" ? plainNumber(price) : ""]
    }),
  )
}
