import { parseDuration } from "./qstash-duration.ts"
import { compileExpression } from "./qstash-expression.ts"

const DAY_MS = 86_400_000

/** The reply headers that may set the next attempt, in the order they are looked at. */
const RETRY_AFTER_HEADERS = [
  "retry-after",
  "x-ratelimit-reset",
  "x-ratelimit-reset-requests",
  "x-ratelimit-reset-tokens",
]

interface RetryQuestion {
  /** How often the message has been retried before this failed attempt. */
  retried: number
  expression: string | undefined
  /** Headers of the failed reply, lower-case names. */
  headers: Record<string, string[]>
  nowMs: number
}

/** min(86400, e^(2.5 n)) in whole seconds: 12 s, 2 m 28 s, 30 m 8 s, 6 h 7 m 6 s, then a day. */
function backoffMs(attempt: number): number {
  return Math.floor(Math.min(DAY_MS / 1000, Math.exp(2.5 * attempt))) * 1000
}

/** Milliseconds until the next attempt; the reply's wish beats the message's expression, both end at a day. */
export function retryDelayMs({ retried, expression, headers, nowMs }: RetryQuestion): number {
  for (const name of RETRY_AFTER_HEADERS) {
    const value = headers[name]?.[0]
    const asked = value === undefined ? undefined : parseRetryAfter(value, nowMs)
    if (asked !== undefined && asked <= DAY_MS) return asked
  }
  if (expression !== undefined) {
    const computed = compileExpression(expression)(retried)
    if (Number.isFinite(computed)) return Math.min(DAY_MS, Math.max(0, Math.round(computed)))
  }
  return backoffMs(retried + 1)
}

/** Seconds, a duration ("6m5s") or an HTTP date, as milliseconds from now; undefined when it is none of them. */
function parseRetryAfter(value: string, nowMs: number): number | undefined {
  const text = value.trim()
  if (/^\d+(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1000)
  const duration = parseDuration(text, ["ns", "us", "µs", "ms", "s", "m", "h"])
  if (duration !== undefined) return duration
  if (!/^[A-Za-z]{3},/.test(text)) return undefined
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
