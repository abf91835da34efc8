/** Credit micros per million tokens. */
export interface Price {
  price_input: number
  price_cached: number
  price_output: number
  /** The price of prompt tokens that are written into the provider's cache. Null: the same as `price_input`. */
  price_cache_write: number | null
  /** The price of tokens that the cache keeps for an hour. Null if the one-hour cache is never requested. */
  price_cache_write_hour: number | null
}

export interface TokenCounts {
  /** All prompt tokens, including cached ones. */
  tokensInput: number
  tokensCached: number
  tokensCacheWritten?: number
  /** The part of `tokensCacheWritten` that the cache keeps for an hour. */
  tokensCacheWrittenHour?: number
  tokensOutput: number
}

const PER = 1_000_000n

/** The price of one model call in credit micros, rounded up. */
export function priceOf(price: Price, tokens: TokenCounts): number {
  const written = tokens.tokensCacheWritten ?? 0
  const forHour = tokens.tokensCacheWrittenHour ?? 0
  const priceWrite = price.price_cache_write ?? price.price_input
  const fresh = BigInt(tokens.tokensInput - tokens.tokensCached - written)
  const sum =
    fresh * BigInt(price.price_input) +
    BigInt(written - forHour) * BigInt(priceWrite) +
    BigInt(forHour) * BigInt(price.price_cache_write_hour ?? priceWrite) +
    BigInt(tokens.tokensCached) * BigInt(price.price_cached) +
    BigInt(tokens.tokensOutput) * BigInt(price.price_output)
  return Number((sum + PER - 1n) / PER)
}

/** The highest possible price of a call: all prompt tokens at the highest price, and all output tokens used. */
export function worstPriceOf(price: Price, promptTokens: number, outputTokens: number): number {
  const { price_input, price_cached, price_cache_write, price_cache_write_hour } = price
  const dearest = {
    ...price,
    price_input: Math.max(price_input, price_cached, price_cache_write ?? 0, price_cache_write_hour ?? 0),
  }
  return priceOf(dearest, { tokensInput: promptTokens, tokensCached: 0, tokensOutput: outputTokens })
}

/** The number of output tokens that `micros` can pay for after the prompt. Infinity if output is free. */
export function affordableOutput(price: Price, promptTokens: number, micros: number): number {
  const left = BigInt(micros) - BigInt(worstPriceOf(price, promptTokens, 0))
  if (left < 0n) return 0
  if (price.price_output === 0) return Number.POSITIVE_INFINITY
  return Number((left * PER) / BigInt(price.price_output))
}
