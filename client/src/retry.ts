import { ConnectionError, TurnpikeError } from "./errors.ts"

/** The waits between retries, in milliseconds. */
const RETRY_POLICY = {
  firstMs: 500,
  mostMs: 8_000,
  /** A longer Retry-After is left to the caller, because a cap may reset only after hours. */
  mostRetryAfterMs: 30_000,
}

/**
 * Statuses that mean that nothing was done. Even a request without an Idempotency-Key can be retried, unless the
 * service says that it cannot succeed (`retryable: false`).
 */
const REFUSED = new Set([429])
const TRANSIENT = new Set([408, 500, 502, 503, 504])

/** `safe`: the request has its effect at most once, however often it is sent. */
export function isWorthRetrying(error: unknown, { safe }: { safe: boolean }): boolean {
  if (!(error instanceof TurnpikeError)) return false
  if (error.code === "IDEMPOTENCY_IN_FLIGHT") return true
  if (error.status !== undefined && REFUSED.has(error.status)) return error.retryable
  if (!safe) return false
  return error instanceof ConnectionError || (error.status !== undefined && TRANSIENT.has(error.status))
}

/**
 * The number of milliseconds to wait after attempt `attempt` (from 0): Retry-After, or exponential backoff with
 * jitter. Null if the wait is too long for a call.
 */
export function waitBefore(error: unknown, attempt: number, random: () => number): number | null {
  const backoff = Math.min(RETRY_POLICY.firstMs * 2 ** attempt, RETRY_POLICY.mostMs)
  const jittered = backoff * (0.5 + random() / 2)
  const asked = error instanceof TurnpikeError ? error.retryAfter : undefined
  if (asked === undefined) return jittered
  if (asked * 1000 > RETRY_POLICY.mostRetryAfterMs) return null
  return Math.max(asked * 1000, jittered)
}

/** Retry-After in seconds. RFC 9110 section 10.2.3 allows a number of seconds or a date. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined
  if (/^\d+$/.test(header.trim())) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, Math.ceil((date - now) / 1000))
}
