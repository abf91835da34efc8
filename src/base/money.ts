import * as z from "zod"
import { plainNumber } from "./plain-json.ts"

/** 1 USD = 10 energy = 10,000,000 credit micros (docs/contract.md). */
export const MICROS_PER_USD = 10_000_000
export const MICROS_PER_ENERGY = 1_000_000
/** The decimals of a credit micro in USD. */
export const USD_DECIMALS = 7

export const ENERGY_RATE = `${MICROS_PER_USD / MICROS_PER_ENERGY} energy are 1 USD`
const decimals = `at most ${USD_DECIMALS} decimals`
export const INEXACT_USD = `must have ${decimals}`

/** Credit micros as a JSON number of USD. The result is exact and has at most 7 decimals. */
export function toUsd(micros: number): number {
  return micros / MICROS_PER_USD
}

/** Credit micros as exact USD with all decimals, as in `0.0000460`. */
export function usdDecimal(micros: number | bigint): string {
  const digits = String(micros)
    .replace("-", "")
    .padStart(USD_DECIMALS + 1, "0")
  return `${micros < 0 ? "-" : ""}${digits.slice(0, -USD_DECIMALS)}.${digits.slice(-USD_DECIMALS)}`
}

/** USD as text for a sentence, never as `1e-7`. */
export const usdText = (micros: number): string => plainNumber(toUsd(micros))

/** USD as credit micros; null if the number has more than 7 decimals or is too large to be exact. */
export function fromUsd(usd: number): number | null {
  const micros = Math.round(usd * MICROS_PER_USD)
  return Number.isSafeInteger(micros) && micros / MICROS_PER_USD === usd ? micros : null
}

/** A decimal number in quotes. Zeros after the seventh decimal change nothing. */
const DECIMAL = new RegExp(`^-?\\d{1,9}(\\.\\d{1,${USD_DECIMALS}}0*)?$`)
const decimalText = z
  .string()
  .max(40)
  .regex(DECIMAL, `must be a number, or a decimal in quotes with ${decimals}, such as "0.30"`)

/**
 * An amount of USD in a request, exact in credit micros: a number within the bounds of `numbers`, or the same as a
 * decimal string, as callers send it who calculate with decimals. The result is a number.
 */
export function usdIn(numbers: z.ZodNumber, wrong?: (usd: number) => string | null) {
  const exact = numbers.superRefine((usd, issues) => {
    const message = fromUsd(usd) === null ? INEXACT_USD : wrong?.(usd)
    if (message) issues.addIssue({ code: "custom", message })
  })
  return z.union([exact, decimalText.transform(Number).pipe(exact)])
}

/** For `usdIn`: an entry of a ledger is not 0. */
export const notZero = (usd: number): string | null => (usd === 0 ? "must not be 0" : null)

export const usdAmount = usdIn(z.number().min(0).max(1_000_000))
