import { storable } from "../base/storable.ts"
import type { Outbound } from "../platform/outbound.ts"
import { OutboundError } from "../platform/outbound-error.ts"
import { parseRetryAfter } from "../platform/retry-after.ts"
import { SPAN_EXPORT_POLICY, TRACE_POLICY } from "./policies.ts"

/** What an endpoint made of a request. */
export type SentSpans =
  /** `rejected`: spans that it did not take. `warning`: its message; null: it took all without one. */
  | { kind: "taken"; rejected: number; warning: string | null }
  /** The same request may be sent again, at the earliest after `retryAfterMs`. */
  | { kind: "later"; error: string; status: number | null; retryAfterMs: number | null }
  /** The same request must not be sent again, so its spans are given up. */
  | { kind: "refused"; error: string; status: number }

/** The statuses after which OTLP/HTTP allows a retry. */
const RETRYABLE = [429, 502, 503, 504]

/** Posts spans by OTLP/HTTP. Redirects are not followed. */
export async function sendSpans(
  outbound: Outbound,
  { url, headers, body, now }: { url: string; headers: Record<string, string>; body: string; now: Date },
): Promise<SentSpans> {
  const { timeoutMs } = TRACE_POLICY
  try {
    const response = await outbound.send({
      url,
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body,
      timeoutMs,
      maxBytes: SPAN_EXPORT_POLICY.answerBytes,
      maxRedirects: 0,
    })
    const { status } = response
    const text = await response.text().catch(() => "")
    if (status >= 200 && status < 300) return takenBy(text)
    const error = shortened(`HTTP ${status}${text === "" ? "" : `: ${messageIn(text)}`}`)
    if (!RETRYABLE.includes(status)) return { kind: "refused", error, status }
    return { kind: "later", error, status, retryAfterMs: parseRetryAfter(response.headers.get("retry-after"), now) }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { kind: "later", error: shortened(error.message), status: null, retryAfterMs: null }
  }
}

const shortened = (text: string) => storable(text).slice(0, SPAN_EXPORT_POLICY.errorLength).toWellFormed()

/** A full or partial success (ExportTraceServiceResponse). A body that is no JSON says nothing. */
function takenBy(text: string): SentSpans {
  const { rejectedSpans, errorMessage } = (objectIn(text).partialSuccess ?? {}) as Record<string, unknown>
  const rejected = Math.max(0, Math.trunc(Number(rejectedSpans ?? 0)) || 0)
  const message = typeof errorMessage === "string" ? errorMessage : ""
  if (rejected === 0 && message === "") return { kind: "taken", rejected, warning: null }
  const warning = rejected > 0 ? `${rejected} spans were rejected${message && `: ${message}`}` : message
  return { kind: "taken", rejected, warning: shortened(warning) }
}

/** An error's body is a Status message, or any text. */
function messageIn(text: string): string {
  const { message } = objectIn(text)
  return typeof message === "string" ? message : text
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
