import * as z from "zod"
import { composed } from "../base/casts.ts"
import { usdIn } from "../base/money.ts"
import {
  type ChatSingles,
  type ComponentPrices,
  catalogFieldOf,
  columnOf,
  componentOf,
  isRequired,
  type PriceFields,
  singlesOf,
  TOKEN_COMPONENTS,
  usdOf,
} from "./price-components.ts"

const SINGLES = singlesOf("chat")
export const PRICE_EXAMPLES = Object.fromEntries(TOKEN_COMPONENTS.map((name) => [name, componentOf(name).example]))

const perUnit = usdIn(z.number().min(0).max(1_000))
const perUnitOrNull = perUnit.nullable().default(null)
export const perPicture = perUnit.meta({
  description: "USD for one picture of any size.",
  example: 0.04,
})

/** The highest price of a million tokens, in USD. */
export const MOST_USD_PER_MILLION = 100_000
export const perMillion = usdIn(z.number().min(0).max(MOST_USD_PER_MILLION))
const ownOrNull = perMillion.nullable().default(null)

export const tokenPricesSchema = z.strictObject(
  composed<PriceFields<typeof perMillion, typeof ownOrNull>>(
    Object.fromEntries(
      TOKEN_COMPONENTS.map((name) => {
        const { about, whenNull, example } = componentOf(name)
        const description = `USD per million ${about}${whenNull ? `; null: ${whenNull}` : ""}.`
        return [name, (isRequired(name) ? perMillion : ownOrNull).meta({ description, example })]
      }),
    ),
  ),
)

const aboutSingle = (name: (typeof SINGLES)[number]) => {
  const { about, whenNull, example } = componentOf(name)
  return { description: `USD for ${about}; null: ${whenNull}.`, example }
}

export const singlePrices = Object.fromEntries(SINGLES.map((name) => [name, perUnitOrNull.meta(aboutSingle(name))]))
export const singleFields = composed<ChatSingles<typeof perUnitOrNull>>(
  Object.fromEntries(SINGLES.map((name) => [catalogFieldOf(name), perUnitOrNull.meta(aboutSingle(name))])),
)

/** The prices per unit among the fields of a row. */
export const singlesIn = (row: object) => {
  const fields = composed<Record<string, number | null>>(row)
  return SINGLES.map((name) => [name, fields[catalogFieldOf(name)] ?? null] as const)
}

const shown = z.number()
const shownOrNull = shown.nullable()

export const shownPricesSchema = z.object(
  composed<PriceFields<typeof shown, typeof shownOrNull>>(
    Object.fromEntries(
      TOKEN_COMPONENTS.map((name) => {
        const { example } = componentOf(name)
        return [name, (isRequired(name) ? shown : shownOrNull).meta({ example })]
      }),
    ),
  ),
)

export const shownSingles = composed<ChatSingles<typeof shownOrNull>>(
  Object.fromEntries(SINGLES.map((name) => [catalogFieldOf(name), shownOrNull.meta(aboutSingle(name))])),
)

type ShownPrices = { price_usd_per_million_tokens: z.infer<typeof shownPricesSchema> } & ChatSingles<number | null>

/** The prices of a chat model as the catalog shows them. */
export const serializePrices = (row: ComponentPrices): ShownPrices =>
  composed({
    price_usd_per_million_tokens: Object.fromEntries(
      TOKEN_COMPONENTS.map((name) => [name, usdOf(row[columnOf(name)])]),
    ),
    ...Object.fromEntries(SINGLES.map((name) => [catalogFieldOf(name), usdOf(row[columnOf(name)])])),
  })
