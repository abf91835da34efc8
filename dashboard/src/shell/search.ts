import { type CreatedSearch, RANGES } from "../ui/time-range.ts"

/** The search parameters of a URL before validation: text, or values that the app has set. */
export type RawSearch = Record<string, unknown>

/** The query of a URL as plain text, without JSON: `?state=done&offset=50`. */
export const parseSearch = (search: string): RawSearch => Object.fromEntries(new URLSearchParams(search))

export function stringifySearch(search: RawSearch): string {
  const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== "")
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text && `?${text}`
}

/** Validators of single parameters. An invalid value is ignored, as if the URL did not have it. */
export const textIn = (value: unknown): string | undefined =>
  (typeof value === "string" || typeof value === "number") && String(value) !== "" ? String(value) : undefined

export const oneIn = <Value extends string>(value: unknown, allowed: readonly Value[]): Value | undefined =>
  allowed.find((one) => one === value)

export function countIn(value: unknown): number | undefined {
  const number = Number(textIn(value) ?? "none")
  return Number.isSafeInteger(number) && number >= 0 ? number : undefined
}

export const flagIn = (value: unknown): true | undefined => (value === true || value === "true" ? true : undefined)

/** A UTC instant, as ISO 8601. */
export function instantIn(value: unknown): string | undefined {
  const text = textIn(value)
  return text !== undefined && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}

/** The search parameters of a list with pages. */
export const offsetIn = (search: RawSearch): { offset?: number } => ({ offset: countIn(search.offset) })

/** The range of a list by the creation of its entries. */
export const createdRangeIn = (search: RawSearch): CreatedSearch => ({
  range: oneIn(search.range, RANGES),
  created_after: instantIn(search.created_after),
  created_before: instantIn(search.created_before),
})
