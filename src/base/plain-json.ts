import { undeclared } from "./casts.ts"

/** `JSON.rawJSON` (ECMAScript 2026), which the library's types lack. */
const { rawJSON } = undeclared<{ rawJSON(text: string): object }>(JSON)

const EXPONENT = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/

/** A smaller number cannot be an amount, and its zeros would only make the response long. */
const SMALLEST = 1e-20

/**
 * JSON without exponents: `JSON.stringify` writes numbers below 0.000001 as `9e-7`, which some
 * decimal parsers reject. All JSON responses are written here.
 */
export function plainJson(value: unknown, indent?: number): string {
  const text = JSON.stringify(value, null, indent)
  // Few responses have such a number, and a replacer is several times slower.
  return /\de-\d/.test(text) ? JSON.stringify(value, plainly, indent) : text
}

const plainly = (_key: string, value: unknown) =>
  typeof value === "number" && isSmall(value) ? rawJSON(plainNumber(value)) : value

/** The shortest decimal notation of a number, without an exponent. */
export function plainNumber(value: number): string {
  const text = String(value)
  const match = isSmall(value) ? EXPONENT.exec(text) : null
  if (!match) return text
  const [, sign, whole, fraction = "", zeros] = match
  return `${sign}0.${"0".repeat(Number(zeros) - 1)}${whole}${fraction}`
}

const isSmall = (value: number) => Math.abs(value) < 1e-6 && Math.abs(value) >= SMALLEST
