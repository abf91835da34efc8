import { undeclared } from "./casts.ts"

/** A text without a match has no number that a double would change. */
const SUSPECT = /\d{16}|\d[eE]/
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** `JSON.rawJSON` and the source text of a reviver (ECMAScript 2026), which the library's types lack. */
const exact = undeclared<{
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
  parse(text: string, reviver: (key: string, value: unknown, context: { source?: string }) => unknown): unknown
}>(JSON)

/**
 * Parses JSON. A number that a double would change becomes raw JSON, which `JSON.stringify` writes
 * with its own digits.
 */
export function parseExact(text: string): unknown {
  if (!SUSPECT.test(text)) return JSON.parse(text)
  return exact.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && isChanged(source, value) ? exact.rawJSON(source) : value,
  )
}

/** True for a number of parseExact that keeps its digits. */
export const isRawNumber = (value: unknown): boolean => exact.isRawJSON(value)

interface ChangedNumber {
  path: string[]
  digits: string
}

/**
 * The first number of a JSON text that a double would change; null if there is no such number.
 * Throws for invalid JSON.
 */
export function changedNumber(text: string): ChangedNumber | null {
  return findRaw(parseExact(text), [])
}

/** Converts raw numbers to doubles, as `JSON.parse` would. For checks and calculations. */
export const asDoubles = (value: unknown): unknown => (findRaw(value, []) ? JSON.parse(JSON.stringify(value)) : value)

function findRaw(value: unknown, path: string[]): ChangedNumber | null {
  if (typeof value !== "object" || value === null) return null
  if (exact.isRawJSON(value)) return { path, digits: JSON.stringify(value) }
  for (const [key, part] of Object.entries(value)) {
    const found = findRaw(part, [...path, key])
    if (found) return found
  }
  return null
}

/**
 * True for whole numbers that a double would change and numbers too large for it. Fractions are approximations anyway.
 */
function isChanged(source: string, value: number): boolean {
  if (Number.isFinite(value) && !Number.isInteger(value)) return false
  const [was, is] = [decimalOf(source), decimalOf(String(value))]
  return was === null || was !== is
}

/** A canonical text of a number; null for infinity. */
function decimalOf(text: string): string | null {
  const match = NUMBER.exec(text)
  if (!match) return null
  const [, sign, whole = "", fraction = "", power = "0"] = match
  const digits = (whole + fraction).replace(/^0+/, "")
  const plain = digits.replace(/0+$/, "")
  if (plain === "") return "0"
  return `${sign}${plain}e${Number(power) - fraction.length + digits.length - plain.length}`
}
