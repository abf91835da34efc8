import * as z from "zod"
import { type ComponentName, componentOf, componentsOf, isRequired } from "../catalog/price-components.ts"
import { termFields, termRowOf } from "../catalog/term-schemas.ts"

const NAMES = componentsOf("chat")
const optionOf = (name: ComponentName) => name.replaceAll("_", "-")

/** The options of `npm run admin -- model` that set prices: `--cache-write` for the component `cache_write`. */
export const PRICE_OPTIONS = Object.fromEntries(NAMES.map((name) => [optionOf(name), { type: "string" as const }]))

/** The price of cached tokens has a default on the command line, unlike in the catalog. */
const isNeeded = (name: ComponentName) => isRequired(name) && name !== "cached"

/** The usage of the price options, and what each means. */
export const PRICE_USAGE = NAMES.map((name) =>
  isNeeded(name) ? `--${optionOf(name)} USD` : `[--${optionOf(name)} USD]`,
)
export const PRICE_WORDS = NAMES.map((name) => {
  const { about, per, whenNull = name === "cached" ? "same as `input`" : undefined } = componentOf(name)
  const words = whenNull ? `; without it: ${whenNull.replaceAll("`", "")}` : ""
  return `--${optionOf(name)}: ${per === 1 ? `for ${about}` : about}${words}`
})

/** The options that set tiers and factors, as JSON. */
export const TERM_OPTIONS = { tiers: { type: "string" }, modifiers: { type: "string" } } as const

type Values = Record<string, unknown>

/** The prices in USD of the options. Throws if one is missing or no amount. */
export function pricesOfOptions(values: Values, amountOf: (text: string) => number) {
  const text = (name: ComponentName) => {
    const value = values[optionOf(name)]
    return typeof value === "string" && value !== "" ? value : undefined
  }
  const prices = NAMES.flatMap((name) => {
    const given = text(name) ?? (name === "cached" ? text("input") : undefined)
    if (given === undefined && isNeeded(name)) throw new Error(`--${optionOf(name)} is missing.`)
    return given === undefined ? [] : [[name, amountOf(given)] as const]
  })
  return Object.fromEntries(prices)
}

/** The tiers and factors of the options, as the catalog stores them. Throws if they are not valid. */
export function termsOfOptions({ tiers, modifiers }: Values) {
  const read = (option: string, text: unknown) => {
    if (typeof text !== "string") return undefined
    try {
      return JSON.parse(text) as unknown
    } catch {
      throw new Error(`--${option} must be JSON.`)
    }
  }
  const parsed = z.strictObject(termFields).safeParse({
    tiers: read("tiers", tiers),
    modifiers: read("modifiers", modifiers),
  })
  if (parsed.success) return termRowOf(parsed.data)
  const [fault] = parsed.error.issues
  throw new Error(`--${fault?.path.join(".")}: ${fault?.message}`)
}
