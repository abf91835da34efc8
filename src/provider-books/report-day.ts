import { type Fields, isFields } from "../base/fields.ts"
import { MICROS_PER_USD } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"

/** The numbers that are compared. Amounts are in credit micros. */
export const UNITS = [
  "model_calls",
  "tokens_input",
  "tokens_cached",
  "tokens_cache_written",
  "tokens_output",
  "credit_micros",
] as const
export type BookUnit = (typeof UNITS)[number]
export type BookSums = Record<BookUnit, number>

/** A day of an account, as its provider reports it. */
export interface ReportDay {
  /** The numbers of each model by its name at the provider, without amounts. `tokens_input` has all input. */
  usage: { model: string; sums: Partial<BookSums> }[]
  /** Amounts in credit micros. A negative one is a credit or a discount. `model`: null if the line names none. */
  costs: { model: string | null; micros: number }[]
}

/** A report that has another form than its provider documents. */
export class ReportError extends Error {
  /** A code of our own, as an operator sees it. */
  readonly code: string

  constructor(code: string) {
    super(code)
    this.name = "ReportError"
    this.code = code
  }
}

/** The results of all pages of a report with buckets. */
export function resultsOf(pages: readonly Fields[]): Fields[] {
  return pages.flatMap((page) => reportedList(page.data).flatMap((bucket) => reportedList(bucket.results)))
}

export function reportedList(value: unknown): Fields[] {
  if (!Array.isArray(value)) throw new ReportError("unknown_form")
  return value.filter(isFields)
}

/** A count; 0 if it is missing. */
export function reportedCount(value: unknown): number {
  const count = value ?? 0
  if (typeof count !== "number" || !Number.isSafeInteger(count) || count < 0) throw new ReportError("unknown_form")
  return count
}

export const reportedName = (value: unknown): string | null =>
  typeof value === "string" && value !== "" ? value : null

/** An amount in USD, a number or a decimal text, in credit micros. `perUsd`: 100 if it is in cents. */
export function microsOf(value: unknown, perUsd = 1): number {
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  if (typeof amount !== "number" || !Number.isFinite(amount)) throw new ReportError("unknown_form")
  return Math.round((amount * MICROS_PER_USD) / perUsd)
}

/** Reports of other currencies cannot be compared. */
export function requireUsd(currency: unknown): void {
  if (typeof currency !== "string" || currency.toUpperCase() !== "USD") throw new ReportError("other_currency")
}

/** The start of a day (UTC) and of the next one. */
export function endsOf(day: string): { starts: Date; ends: Date } {
  const starts = new Date(`${day}T00:00:00Z`)
  return { starts, ends: new Date(starts.getTime() + DAY_MS) }
}

/** The day (UTC) this many days before the one of a moment. */
export const dayBefore = (moment: Date, days: number): string =>
  new Date(moment.getTime() - days * DAY_MS).toISOString().slice(0, 10)
