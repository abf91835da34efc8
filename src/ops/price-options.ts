import * as z from "zod"
import { storedRow } from "../base/casts.ts"
import {
  type ComponentName,
  type ComponentPrices,
  componentOf,
  componentsOf,
  isRequired,
  requestNameOf,
} from "../catalog/price-components.ts"
import type { PriceTerms } from "../catalog/price-terms.ts"
import type { PriceSources } from "../catalog/provider-prices.ts"
import {
  markedPricesSchema,
  ownPricesSchema,
  type Prices,
  requestListOf,
  serializeSources,
  tokenListSchema,
} from "../catalog/source-schemas.ts"

const NAMES = componentsOf("chat")
const optionOf = (name: ComponentName) => name.replaceAll("_", "-")

/** The options of `npm run admin -- model` that set prices: `--cache-write` for the component `cache_write`. */
export const PRICE_OPTIONS = {
  ...Object.fromEntries(NAMES.map((name) => [optionOf(name), { type: "string" as const }])),
  tiers: { type: "string" },
  modifiers: { type: "string" },
  provider: { type: "string" },
  markup: { type: "string" },
} as const

/** The meaning of each option that sets one price. */
export const PRICE_WORDS = NAMES.map((name) => {
  const { about, per, whenNull = name === "cached" ? "same as `input` for a new model" : undefined } = componentOf(name)
  const words = whenNull ? `; without it: ${whenNull.replaceAll("`", "")}` : ""
  return `--${optionOf(name)}: ${per === 1 ? `for ${about}` : about}${words}`
})

/** Removes a price, or what else an option sets. */
export const NONE = "none"

type Values = Record<string, unknown>
/** The price version of a model, as the catalog stores it. */
type StoredPrices = ComponentPrices & { [Column in keyof PriceTerms | keyof PriceSources]: unknown }

/**
 * The prices of a model as the operation that sets prices takes them: `present`, with the changes that options name.
 * For a new model `present` is null. Throws if the result is not valid.
 */
export function pricesOfOptions(values: Values, present: StoredPrices | null): Prices {
  const changes = listOfOptions(values)
  const ours = { ...(present ? requestListOf(present) : { cached: changes.input }), ...changes }
  const stored = present && storedRow<PriceSources>(present).provider_prices
  const { provider = stored && requestListOf(stored), markup = present && serializeSources(present).markup } = {
    provider: jsonOf(values, "provider", tokenListSchema),
    markup: jsonOf(values, "markup"),
  }
  if (!markup) return checked(ownPricesSchema, { ...ours, provider })
  if (values.provider === NONE)
    throw new Error(`A markup needs the provider's prices. To remove both, give --markup ${NONE}, too.`)
  if (provider && Object.keys(changes).length > 0)
    throw new Error(`The markup makes our prices of the provider's. Change --provider, or give --markup ${NONE}, too.`)
  return checked(markedPricesSchema, { provider: provider ?? ours, markup })
}

/** The prices, tiers and factors that options name. */
function listOfOptions(values: Values): Record<string, unknown> {
  const prices = NAMES.flatMap((name) => {
    const text = values[optionOf(name)]
    return typeof text === "string" ? [[requestNameOf(name), amountOf(name, text)] as const] : []
  })
  const [tiers, modifiers] = [jsonOf(values, "tiers"), jsonOf(values, "modifiers")]
  return {
    ...Object.fromEntries(prices),
    ...(tiers !== undefined && { tiers: tiers ?? [] }),
    ...(modifiers !== undefined && { modifiers: modifiers ?? {} }),
  }
}

function amountOf(name: ComponentName, text: string): number | null {
  if (text === NONE && !isRequired(name)) return null
  const usd = text.trim() === "" ? Number.NaN : Number(text)
  if (!(usd >= 0)) throw new Error(`--${optionOf(name)}: "${text}" is not an amount in USD. Give a number from 0.`)
  return usd
}

/** The JSON of an option. Null: it removes what is stored. Undefined: it is not given. */
function jsonOf(values: Values, option: string, schema: z.ZodType = z.unknown()): unknown {
  const text = values[option]
  if (typeof text !== "string") return undefined
  if (text === NONE) return null
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Error(`--${option} must be JSON, or ${NONE}.`)
  }
  checked(schema, value, [option])
  return value
}

/** The value by a schema. An error names the option, and the place in it. */
function checked<Schema extends z.ZodType>(schema: Schema, value: unknown, path: string[] = []): z.output<Schema> {
  const parsed = schema.safeParse(value, { error: ({ input }) => (input === undefined ? "is missing" : undefined) })
  if (parsed.success) return parsed.data
  const [fault] = parsed.error.issues
  const [first = "", ...rest] = [...path, ...(fault?.path ?? [])].map(String)
  throw new Error(`--${[first.replaceAll("_", "-"), ...rest].join(".")}: ${fault?.message}`)
}
