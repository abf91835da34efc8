/** A timestamp of the database as RFC 3339 in UTC with `Z`, to the millisecond. */
export function toInstant(timestamp: string): string
export function toInstant(timestamp: string | null): string | null
export function toInstant(timestamp: string | null): string | null {
  return timestamp === null ? null : new Date(timestamp).toISOString()
}
