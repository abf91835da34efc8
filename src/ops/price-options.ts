import { type ComponentName, componentOf, componentsOf, isRequired } from "../catalog/price-components.ts"

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
