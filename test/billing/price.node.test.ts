import { expect, test } from "vitest"
import { affordableOutput, priceOf, worstPriceOf } from "../../src/billing/price.ts"

/** Credit micros per million tokens. Each is a prime, so that no two sums are equal by chance. */
const PRICE = {
  price_input: 3_000_017,
  price_cached: 300_007,
  price_cache_write: 5_000_011,
  price_cache_write_hour: 7_000_003,
  price_audio_input: 2_000_003,
  price_web_search: null,
  price_x_search: null,
  price_code_execution: null,
  price_output: 15_000_017,
  price_reasoning: null,
}
const NOTHING = { tokensInput: 0, tokensCached: 0, tokensOutput: 0 }
const MILLION = 1_000_000

test("A million tokens of a kind cost the catalog's price for that kind", () => {
  expect(priceOf(PRICE, { ...NOTHING, tokensInput: MILLION })).toBe(3_000_017)
  expect(priceOf(PRICE, { ...NOTHING, tokensInput: MILLION, tokensCached: MILLION })).toBe(300_007)
  expect(priceOf(PRICE, { ...NOTHING, tokensInput: MILLION, tokensCacheWritten: MILLION })).toBe(5_000_011)
  const written = { tokensCacheWritten: 3 * MILLION, tokensCacheWrittenHour: MILLION }
  expect(priceOf(PRICE, { ...NOTHING, tokensInput: 3 * MILLION, ...written })).toBe(2 * 5_000_011 + 7_000_003)
  expect(priceOf(PRICE, { ...NOTHING, tokensInput: MILLION, tokensAudio: MILLION })).toBe(2_000_003)
  expect(priceOf(PRICE, { ...NOTHING, tokensOutput: MILLION })).toBe(15_000_017)
  const thought = { ...NOTHING, tokensOutput: 3 * MILLION, tokensReasoning: MILLION }
  expect(priceOf(PRICE, thought)).toBe(3 * 15_000_017)
  expect(priceOf({ ...PRICE, price_reasoning: 4_000_037 }, thought)).toBe(2 * 15_000_017 + 4_000_037)
  expect(
    priceOf(PRICE, {
      tokensInput: 4 * MILLION,
      tokensCached: 1 * MILLION,
      tokensCacheWritten: 2 * MILLION,
      tokensOutput: 0,
    }),
  ).toBe(3_000_017 + 300_007 + 2 * 5_000_011)
})

test("Cache writes cost as much as plain input if the catalog has no price for them", () => {
  const price = { ...PRICE, price_cache_write: null, price_cache_write_hour: null }
  expect(priceOf(price, { ...NOTHING, tokensInput: MILLION, tokensCacheWritten: MILLION })).toBe(3_000_017)
})

test("A price is rounded up once, over all kinds of tokens", () => {
  const cents = {
    price_input: 1,
    price_cached: 1,
    price_cache_write: 1,
    price_cache_write_hour: 1,
    price_audio_input: 1,
    price_web_search: null,
    price_x_search: null,
    price_code_execution: null,
    price_output: 1,
    price_reasoning: null,
  }
  expect(priceOf(cents, NOTHING)).toBe(0)
  expect(priceOf(cents, { ...NOTHING, tokensOutput: 1 })).toBe(1)
  expect(priceOf(cents, { tokensInput: 500_000, tokensCached: 250_000, tokensOutput: 500_000 })).toBe(1)
  expect(priceOf(cents, { tokensInput: 500_000, tokensCached: 250_000, tokensOutput: 500_001 })).toBe(2)
})

test("The worst case prices every token of the prompt and of the output at its highest rate", () => {
  expect(worstPriceOf(PRICE, MILLION, MILLION)).toBe(7_000_003 + 15_000_017)
  const minutes = { ...PRICE, price_cache_write_hour: null }
  expect(worstPriceOf(minutes, MILLION, MILLION)).toBe(5_000_011 + 15_000_017)
  expect(worstPriceOf({ ...minutes, price_cache_write: null }, MILLION, 0)).toBe(3_000_017)
  expect(worstPriceOf({ ...minutes, price_cache_write: null, price_cached: 4_000_037 }, MILLION, 0)).toBe(4_000_037)
  expect(worstPriceOf({ ...PRICE, price_audio_input: 32_000_011 }, MILLION, 0)).toBe(32_000_011)
  const dear = { ...PRICE, price_reasoning: 40_000_003 }
  expect(worstPriceOf(dear, 0, MILLION)).toBe(40_000_003)
  expect(worstPriceOf({ ...PRICE, price_reasoning: 3 }, 0, MILLION)).toBe(15_000_017)
  expect(affordableOutput(dear, 0, 40_000_003)).toBe(MILLION)
})

test("The tokens that a hold covers never cost more than the hold, and one more token would", () => {
  for (const micros of [7_000_003, 7_000_018, 7_000_019, 22_000_020, 22_000_035]) {
    const output = affordableOutput(PRICE, MILLION, micros)
    expect(worstPriceOf(PRICE, MILLION, output)).toBeLessThanOrEqual(micros)
    expect(worstPriceOf(PRICE, MILLION, output + 1)).toBeGreaterThan(micros)
  }
  expect(affordableOutput(PRICE, MILLION, 7_000_002)).toBe(0)
  expect(affordableOutput({ ...PRICE, price_output: 0 }, MILLION, 7_000_003)).toBe(Number.POSITIVE_INFINITY)
  expect(affordableOutput({ ...PRICE, price_output: 0 }, MILLION, 7_000_002)).toBe(0)
})
