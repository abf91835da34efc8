/** A Retry-After header (RFC 9110 section 10.2.3) in milliseconds from `now`; null if it is missing or invalid. */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) || /^[-+\d.]+$/.test(text) ? null : Math.max(0, at - now.getTime())
}
