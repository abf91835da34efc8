import type { Price } from "../billing/price.ts"

/** Tokens by kind, each once: `fresh` were read, but not from a cache. */
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

/** What tokens weigh at the catalog's prices of a day. */
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

/** Splits an amount by weights into integers that add up to it. Null where nothing weighs anything, and there is something to split. */
export function splitBy(micros: number, { fresh, cached, output }: TokenKinds): TokenKinds | null {
  const all = fresh + cached + output
  if (all === 0) return micros === 0 ? { fresh: 0, cached: 0, output: 0 } : null
  const upTo = (weight: number) => (weight === all ? micros : Math.round(micros * (weight / all)))
  const [first, second] = [upTo(fresh), upTo(fresh + cached)]
  return { fresh: first, cached: second - first, output: micros - second }
}
