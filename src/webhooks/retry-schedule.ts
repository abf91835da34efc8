import { WEBHOOK_POLICY } from "./policies.ts"

/**
 * When to try again after an attempt that failed at `at`, or null when that was the last one. `round` counts the attempts that
 * came before it. The wait is the schedule's ± its jitter, or longer if the receiver's Retry-After asks for it.
 */
export function nextAttemptAt(
  { round, at, retryAfterMs }: { round: number; at: Date; retryAfterMs: number | null },
  random: () => number,
): Date | null {
  const wait = WEBHOOK_POLICY.retryAfterMs[round]
  if (wait === undefined) return null
  const jittered = wait * (1 + WEBHOOK_POLICY.jitter * (2 * random() - 1))
  const asked = Math.min(retryAfterMs ?? 0, WEBHOOK_POLICY.longestRetryAfterMs)
  return new Date(at.getTime() + Math.max(Math.round(jittered), asked))
}

/** A Retry-After header (RFC 9110 section 10.2.3) in milliseconds from `now`, or null when there is none that makes sense. */
export function parseRetryAfter(header: string | null, now: Date): number | null {
  if (header === null) return null
  const text = header.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000
  const at = Date.parse(text)
  return Number.isNaN(at) || /^[-+\d.]+$/.test(text) ? null : Math.max(0, at - now.getTime())
}
