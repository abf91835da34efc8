import { CALL_COUNT_NAMES, countOf, type ModelUsage } from "../agent/token-names.ts"
import { composed } from "../base/casts.ts"
import {
  COMPONENT_NAMES,
  type ComponentName,
  columnOf,
  componentOf,
  componentsOf,
  PER_TOKENS,
  type Price,
  quantitiesOf,
  unitPriceOf,
} from "../catalog/price-components.ts"

/** Units at a price. `price`: credit micros for `per` units. */
export interface PricedLine {
  quantity: number
  price: number
  per: number
}

/** The price of test turns. */
export const FREE: Price = composed(Object.fromEntries(componentsOf("chat").map((name) => [columnOf(name), 0])))

const WHOLE = BigInt(PER_TOKENS)

/** The sum of lines in credit micros, rounded up once. */
export function sumOfLines(lines: readonly PricedLine[]): bigint {
  const parts = lines.reduce(
    (sum, { quantity, price, per }) => sum + BigInt(quantity) * BigInt(price) * BigInt(PER_TOKENS / per),
    0n,
  )
  return (parts + WHOLE - 1n) / WHOLE
}

/** The price of one model call in credit micros, rounded up. */
export function priceOf(price: Price, usage: ModelUsage): number {
  const lines = quantitiesOf(usage).map(([name, quantity]) => {
    return { quantity, price: unitPriceOf(price, name) ?? 0, per: componentOf(name).per }
  })
  return Number(sumOfLines(lines))
}

const IN_PROMPT = COMPONENT_NAMES.filter((name) => componentOf(name).inPrompt)
const IN_OUTPUT = COMPONENT_NAMES.filter((name) => componentOf(name).inOutput)

/** The highest price of some components. */
function dearestOf(price: Price, names: readonly ComponentName[]): number {
  const prices: Partial<Record<string, number | null>> = price
  return Math.max(...names.map((name) => prices[columnOf(name)] ?? 0))
}

/** The most of each number of a call that neither the prompt nor the output bounds. */
const MOST: Partial<ModelUsage> = Object.fromEntries(
  CALL_COUNT_NAMES.flatMap((name) => {
    const { most } = countOf(name)
    return most === undefined ? [] : [[name, most]]
  }),
)

/** The highest possible price of a call: all tokens at the highest price of their side, and all else at its most. */
export function worstPriceOf(price: Price, promptTokens: number, outputTokens: number): number {
  const dearest = { ...price, price_input: dearestOf(price, IN_PROMPT), price_output: dearestOf(price, IN_OUTPUT) }
  return priceOf(dearest, { ...MOST, tokensInput: promptTokens, tokensCached: 0, tokensOutput: outputTokens })
}

/** The number of output tokens that `micros` can pay for after the prompt. Infinity if output is free. */
export function affordableOutput(price: Price, promptTokens: number, micros: number): number {
  const left = BigInt(micros) - BigInt(worstPriceOf(price, promptTokens, 0))
  if (left < 0n) return 0
  const perToken = dearestOf(price, IN_OUTPUT)
  if (perToken === 0) return Number.POSITIVE_INFINITY
  return Number((left * WHOLE) / BigInt(perToken))
}
