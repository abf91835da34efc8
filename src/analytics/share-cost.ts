import type { Price } from "../catalog/price-components.ts"

/** Tokens by kind, each counted once. `fresh`: input tokens that were not cached. */
export interface TokenKinds {
  fresh: number
  cached: number
  output: number
}

export const kindsOf = (row: { tokens_input: number; tokens_cached: number; tokens_output: number }): TokenKinds => ({
  fresh: row.tokens_input - row.tokens_cached,
  cached: row.tokens_cached,
  output: row.tokens_output,
})

/** Weights tokens by the catalog's prices of a day. */
export const weightsAt = ({ fresh, cached, output }: TokenKinds, price: Price): TokenKinds => ({
  fresh: fresh * price.price_input,
  cached: cached * price.price_cached,
  output: output * price.price_output,
})

export const sumOfKinds = (all: readonly TokenKinds[]): TokenKinds =>
  all.reduce(
    (sum, { fresh, cached, output }) => ({
      fresh: sum.fresh + fresh,
      cached: sum.cached + cached,
      output: sum.output + output,
    }),
    { fresh: 0, cached: 0, output: 0 },
  )

/** Divides an amount in proportion to weights. Null if all weights are 0 and the amount is not. */
export function sharesOf(micros: number, { fresh, cached, output }: TokenKinds): TokenKinds | null {
  const all = fresh + cached + output
  if (all === 0) return micros === 0 ? { fresh: 0, cached: 0, output: 0 } : null
  return { fresh: (micros * fresh) / all, cached: (micros * cached) / all, output: (micros * output) / all }
}
