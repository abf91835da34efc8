import { CALL_COUNT_NAMES, countOf, type ModelUsage } from "../agent/token-names.ts"
import { composed } from "../base/casts.ts"
import {
  COMPONENT_NAMES,
  columnOf,
  componentOf,
  componentsOf,
  PER_TOKENS,
  type Price,
  quantitiesOf,
  unitPriceOf,
} from "../catalog/price-components.ts"
import { dearestModifiers, dearestOf, pricesOfCall, type TermedPrice } from "../catalog/price-terms.ts"

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

/** The price of one model call in credit micros, rounded up. `modifiers`: those that its answer names. */
export function priceOf(price: TermedPrice, usage: ModelUsage, modifiers: readonly string[] = []): number {
  const ofCall = pricesOfCall(price, { tokensInput: usage.tokensInput, modifiers })
  const lines = quantitiesOf(usage).map(([name, quantity]) => {
    return { quantity, price: unitPriceOf(ofCall, name) ?? 0, per: componentOf(name).per }
  })
  return Number(sumOfLines(lines))
}

const IN_PROMPT = COMPONENT_NAMES.filter((name) => componentOf(name).inPrompt)
const IN_OUTPUT = COMPONENT_NAMES.filter((name) => componentOf(name).inOutput)

/** The most of each number of a call that neither the prompt nor the output bounds. */
const MOST: Partial<ModelUsage> = Object.fromEntries(
  CALL_COUNT_NAMES.flatMap((name) => {
    const { most } = countOf(name)
    return most === undefined ? [] : [[name, most]]
  }),
)

/**
 * The components at the highest price of their side that a call with at most this prompt can have: in each tier that
 * it can reach, in the dearest region, and as it is asked for (`serviceTier`).
 */
function dearest(price: TermedPrice, promptTokens: number, serviceTier: string | undefined): Price {
  const bound = { promptTokens, modifiers: dearestModifiers(price, serviceTier) }
  return {
    ...pricesOfCall(price, { tokensInput: 0 }),
    price_input: dearestOf(price, IN_PROMPT, bound),
    price_output: dearestOf(price, IN_OUTPUT, bound),
  }
}

/** The highest possible price of a call: all tokens at the highest price of their side, and all else at its most. */
export function worstPriceOf(
  price: TermedPrice,
  promptTokens: number,
  outputTokens: number,
  serviceTier?: string,
): number {
  return priceOf(dearest(price, promptTokens, serviceTier), {
    ...MOST,
    tokensInput: promptTokens,
    tokensCached: 0,
    tokensOutput: outputTokens,
  })
}

/** The number of output tokens that `micros` can pay for after the prompt. Infinity if output is free. */
export function affordableOutput(
  price: TermedPrice,
  promptTokens: number,
  micros: number,
  serviceTier?: string,
): number {
  const left = BigInt(micros) - BigInt(worstPriceOf(price, promptTokens, 0, serviceTier))
  if (left < 0n) return 0
  const perToken = dearest(price, promptTokens, serviceTier).price_output
  if (perToken === 0) return Number.POSITIVE_INFINITY
  return Number((left * WHOLE) / BigInt(perToken))
}
