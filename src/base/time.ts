import * as z from "zod"

export const DAY_MS = 86_400_000

/** RFC 3339 with any offset, within the years that every system can represent. */
export const instantParam = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => {
    const year = new Date(text).getUTCFullYear()
    return year >= 1970 && year <= 9999
  }, "must be in the years 1970 to 9999 (UTC)")
  .transform((text) => new Date(text).toISOString())

/** A timestamp of the database as RFC 3339 in UTC with `Z`, to the millisecond. */
export function toInstant(timestamp: string): string
export function toInstant(timestamp: string | null): string | null
export function toInstant(timestamp: string | null): string | null {
  return timestamp === null ? null : new Date(timestamp).toISOString()
}
