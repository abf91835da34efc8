import { isDeepStrictEqual } from "node:util"
import * as z from "zod"
import { storedRow } from "../base/casts.ts"
import { MICROS_PER_USD, toUsd } from "../base/money.ts"
import {
  type ComponentPrices,
  catalogFieldOf,
  columnOf,
  componentsOf,
  priceRowOf,
  requestNameOf,
  TOKEN_COMPONENTS,
  usdOf,
} from "./price-components.ts"
import {
  MOST_USD_PER_MILLION,
  PRICE_EXAMPLES,
  perMillion,
  perPicture,
  serializePrices,
  shownPricesSchema,
  shownSingles,
  singleFields,
  singlePrices,
  singlesIn,
  tokenPricesSchema,
} from "./price-schemas.ts"
import { WHOLE_FACTOR } from "./price-terms.ts"
import { markedUp, type PriceMarkup, type PriceSources, type ProviderPrices } from "./provider-prices.ts"
import { rowTermFields, serializeTerms, shownTermFields, termFields, termRowOf } from "./term-schemas.ts"

const HUNDREDTHS = 100
/** The highest markup, in percent. */
const MOST_PERCENT = 1_000

const percent = z
  .number()
  .min(0)
  .max(MOST_PERCENT)
  .refine((value) => Math.round(value * HUNDREDTHS) / HUNDREDTHS === value, {
    message: "must have at most two decimals",
  })
  .default(0)
  .meta({ description: "The percentage that is added to every price.", example: 20 })
const perMillionMeta = {
  description: "USD that are added to every price per million tokens. Not allowed for pictures.",
  example: 0.05,
}
const markup = z
  .strictObject({ percent, usd_per_million_tokens: perMillion.default(0).meta(perMillionMeta) })
  .refine(({ percent, usd_per_million_tokens: amount }) => percent + amount !== 0, {
    message: "must add a percentage or an amount",
  })
  .meta({
    id: "PriceMarkup",
    description:
      "How our prices are made of the provider's: each is raised by a percentage, then by an amount, and rounded up to a credit micro. " +
      "Factors stay the same.",
  })

type Markup = z.output<typeof markup>

const shownMarkup = z
  .object({ percent: z.number().meta({ example: 20 }), usd_per_million_tokens: z.number().meta({ example: 0 }) })
  .meta({ description: "How our prices were made of the provider's. Null: they are a list of their own." })

const markupRowOf = ({ percent, usd_per_million_tokens: amount }: Markup): PriceMarkup => ({
  ten_thousandths: Math.round((percent * WHOLE_FACTOR) / 100),
  per_million: Math.round(amount * MICROS_PER_USD),
})

const serializeMarkup = ({ ten_thousandths, per_million }: PriceMarkup): z.infer<typeof shownMarkup> => ({
  percent: (ten_thousandths * 100) / WHOLE_FACTOR,
  usd_per_million_tokens: toUsd(per_million),
})

/** A fault of a price that the bounds of one field cannot find, with its path. */
type Fault = (path: string[], message: string) => void

function checkMarkup(listed: ProviderPrices, markup: Markup, fault: Fault): void {
  if (listed.price_image !== null && markup.usd_per_million_tokens > 0)
    fault(["markup", "usd_per_million_tokens"], "is not allowed for pictures")
  const ours = markedUp(listed, markupRowOf(markup))
  const all = [ours, ...(ours.price_tiers ?? [])].flatMap((row) =>
    TOKEN_COMPONENTS.map((name) => row[columnOf(name)] ?? 0),
  )
  if (Math.max(...all) > MOST_USD_PER_MILLION * MICROS_PER_USD)
    fault(["markup"], `makes a price above ${MOST_USD_PER_MILLION} USD per million tokens`)
}

/** The price list of a chat model or of a model for pictures, in a request that sets prices. */
export const tokenListSchema = tokenPricesSchema.extend({ ...singlePrices, ...termFields })
const pictureList = z.strictObject({ picture: perPicture })
const provider = { description: "The provider's prices, which we pay. Null or left out: the same as ours." }

/** The prices of a chat model, with our list. */
export const ownPricesSchema = tokenListSchema.extend({ provider: tokenListSchema.nullish().meta(provider) })
/** The prices of a model whose list a markup makes. */
export const markedPricesSchema = z
  .strictObject({ provider: z.union([tokenListSchema, pictureList]), markup })
  .superRefine(({ provider, markup }, check) => {
    const fault: Fault = (path, message) => check.addIssue({ code: "custom", path, message })
    checkMarkup(listRowOf(provider), markup, fault)
  })

export const modelPricesSchema = z
  .union([ownPricesSchema, pictureList.extend({ provider: pictureList.nullish().meta(provider) }), markedPricesSchema])
  .meta({
    id: "ModelPrices",
    description:
      "Our prices: a list per million tokens, or the price of a picture for a model of the kind `image`. With `markup`, they are made of " +
      "the prices of `provider`.",
  })

type PriceList = z.output<typeof tokenListSchema> | z.output<typeof pictureList>
export type Prices = z.output<typeof modelPricesSchema>

const listRowOf = (prices: PriceList): ProviderPrices => ({
  ...priceRowOf("picture" in prices ? { image: prices.picture } : prices),
  ...termRowOf("picture" in prices ? {} : prices),
})

/** A chat model's list as a request sets it. */
export const requestListOf = (row: Partial<ComponentPrices> & { price_tiers: unknown; price_modifiers: unknown }) => {
  const { price_tiers: tiers, price_modifiers: modifiers } = serializeTerms(row)
  const usd = componentsOf("chat").map((name) => [requestNameOf(name), usdOf(row[columnOf(name)] ?? null)] as const)
  return { ...Object.fromEntries(usd), tiers, modifiers }
}

/** The columns of a price version. */
function versionOf(own: ProviderPrices | null, listed: ProviderPrices | null, markup: Markup | null) {
  const price_markup = markup && markupRowOf(markup)
  const ours = listed && price_markup ? markedUp(listed, price_markup) : own
  const provider_prices = isDeepStrictEqual(ours, listed) ? null : listed
  return { ...ours, provider_prices, price_markup }
}

/** The columns of the price version that a request sets. */
export function versionOfRequest(prices: Prices) {
  if ("markup" in prices) return versionOf(null, listRowOf(prices.provider), prices.markup)
  return versionOf(listRowOf(prices), prices.provider ? listRowOf(prices.provider) : null, null)
}

/** A price list with the fields of a row of the catalog. */
const rowListFields = {
  price_usd_per_million_tokens: tokenPricesSchema.optional().meta({
    description: "Required for the kind `chat`, and not allowed for the kind `image`.",
    example: PRICE_EXAMPLES,
  }),
  price_usd_per_picture: perPicture
    .optional()
    .meta({ description: "Required for the kind `image`: USD for one picture of any size.", example: 0.04 }),
  ...singleFields,
  ...rowTermFields,
}

/** The prices among the fields of a new model. */
export const rowPriceFields = {
  ...rowListFields,
  provider_prices: z.strictObject(rowListFields).nullish().meta({
    id: "ListedPrices",
    description: "The provider's prices, which we pay. Null or left out: the same as ours.",
  }),
  markup: markup.nullish().meta({ description: "Makes our prices of `provider_prices`. Then no other price is sent." }),
}

const rowListSchema = z.strictObject(rowListFields)
type RowList = z.output<typeof rowListSchema>
type RowPrices = RowList & { provider_prices?: RowList | null | undefined; markup?: Markup | null | undefined }

const listOfRow = (row: RowList): ProviderPrices => {
  const { price_usd_per_million_tokens: tokens, price_usd_per_picture: image } = row
  const amounts = tokens ? { ...tokens, ...Object.fromEntries(singlesIn(row)) } : { image: image ?? 0 }
  return { ...priceRowOf(amounts), ...termRowOf({ tiers: row.price_tiers, modifiers: row.price_modifiers }) }
}

/** The columns of the price version of a new model. */
export const versionOfRow = (row: RowPrices) =>
  versionOf(
    row.markup ? null : listOfRow(row),
    row.provider_prices ? listOfRow(row.provider_prices) : null,
    row.markup ?? null,
  )

/** Reports prices that do not fit the kind of a new model or each other. */
export function checkRowPrices(kind: Kind, row: RowPrices, fault: Fault): void {
  const { provider_prices: listed, markup } = row
  if (!markup) checkList(kind, row, fault)
  else if (hasPrices(row)) fault(["markup"], "is not allowed with prices of our own")
  if (listed) checkList(kind, listed, (path, message) => fault(["provider_prices", ...path], message))
  if (!markup) return
  if (listed) checkMarkup(listOfRow(listed), markup, fault)
  else fault(["provider_prices"], "is required with `markup`")
}

type Kind = "chat" | "image"

const hasTerms = ({ price_tiers, price_modifiers }: RowList) =>
  price_tiers.length > 0 || Object.keys(price_modifiers).length > 0

const hasPrices = (row: RowList) =>
  row.price_usd_per_million_tokens !== undefined ||
  row.price_usd_per_picture !== undefined ||
  singlesIn(row).some(([, price]) => price !== null) ||
  hasTerms(row)

function checkList(kind: Kind, row: RowList, fault: Fault): void {
  const { price_usd_per_million_tokens: tokens, price_usd_per_picture: picture } = row
  const isImage = kind === "image"
  const [needed, unfit] = isImage ? [picture, tokens] : [tokens, picture]
  const names = ["price_usd_per_million_tokens", "price_usd_per_picture"] as const
  const [needs, has] = isImage ? [names[1], names[0]] : names
  if (needed === undefined) fault([needs], `is required for the kind "${kind}"`)
  if (unfit !== undefined) fault([has], `is not allowed for the kind "${kind}"`)
  for (const [name, price] of singlesIn(row)) {
    if (isImage && price !== null) fault([catalogFieldOf(name)], `is not allowed for the kind "${kind}"`)
  }
  if (isImage && hasTerms(row)) fault(["price_tiers"], `is not allowed for the kind "${kind}"`)
}

/** A price list as the catalog shows it. */
export const shownListFields = {
  price_usd_per_million_tokens: shownPricesSchema.meta({
    description: "Prices in USD per million tokens. 0 for a model of the kind `image`.",
    example: PRICE_EXAMPLES,
  }),
  price_usd_per_picture: z
    .number()
    .nullable()
    .meta({ description: "The price of one picture in USD; null for a model of the kind `chat`.", example: null }),
  ...shownSingles,
  ...shownTermFields,
}

/** The provider's prices and the markup of a row. */
export const shownSourceFields = {
  provider_prices: z.object(shownListFields).nullable().meta({
    id: "ShownListedPrices",
    description: "The provider's prices, which we pay. Null: the same as ours.",
    example: null,
  }),
  markup: shownMarkup.nullable().meta({ example: null }),
}

/** The columns of a price list as the catalog shows them. */
export const serializeList = (row: ComponentPrices & { price_tiers: unknown; price_modifiers: unknown }) => ({
  price_usd_per_picture: usdOf(row.price_image),
  ...serializePrices(row),
  ...serializeTerms(row),
})

export function serializeSources(row: { provider_prices: unknown; price_markup: unknown }) {
  const { provider_prices, price_markup } = storedRow<PriceSources>(row)
  return {
    provider_prices: provider_prices && serializeList(provider_prices),
    markup: price_markup && serializeMarkup(price_markup),
  }
}
