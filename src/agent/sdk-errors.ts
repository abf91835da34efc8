import { APICallError, InvalidArgumentError, InvalidPromptError, UnsupportedFunctionalityError } from "@ai-sdk/provider"
import { isFields } from "../base/fields.ts"
import { type ModelCall, ModelError } from "./engine.ts"
import { detailsOf } from "./provider-details.ts"
import { providerSaid } from "./provider-said.ts"
import { NO_CREDIT, providerRefusalOf } from "./refusal-causes.ts"

const MAX_MESSAGE_LENGTH = 300
const MAX_WHOLE_LENGTH = 8_000

/**
 * A shorter key is a placeholder for a local server, such as "ollama". It is not a
 * secret, and may be an ordinary word.
 */
const MIN_KEY_LENGTH = 8

/** The SDK refused to send the request, so a retry is useless. */
const REFUSED_BY_SDK = [InvalidArgumentError, InvalidPromptError, UnsupportedFunctionalityError]

/** OpenAI answers 429, as for a rate limit, if an account has no credit or budget left. */
const NO_CREDIT_WORDS = /\binsufficient_quota\b|\bbilling_hard_limit_reached\b|\bexceeded your current quota\b/i

/**
 * Converts an error of the AI SDK to a ModelError whose message may be logged. It has no cause,
 * because the cause contains the request. `body`: of a refused request.
 */
export function toModelError(
  thrown: unknown,
  call: ModelCall,
  { secrets, isVoid = false, body }: { secrets: readonly string[]; isVoid?: boolean; body?: string | undefined },
): ModelError {
  if (thrown instanceof ModelError) return thrown
  if (!APICallError.isInstance(thrown)) {
    const refused = REFUSED_BY_SDK.some((refusal) => refusal.isInstance(thrown))
    return new ModelError(refused ? "rejected" : "unavailable", short(clean(messageOf(thrown), secrets)), { isVoid })
  }
  const { statusCode: status, isRetryable, responseHeaders, responseBody } = thrown
  // A 2xx that cannot be parsed means that the provider has a problem, not that it rejects the request.
  const inTrouble = status === undefined || status < 400 || status === 429 || status >= 500 || isRetryable
  const message = short(clean(`HTTP ${status ?? "-"}: ${messageOf(thrown)}`, secrets))
  const retryAfterMs = retryAfter(responseHeaders)
  const code = status === 429 && NO_CREDIT_WORDS.test(`${responseBody ?? ""} ${message}`) ? { code: NO_CREDIT } : {}
  const said = providerSaid(clean(responseBody ?? "", secrets), clean(messageOf(thrown), secrets))
  const refusal = providerRefusalOf(status, said)
  const kind = inTrouble && refusal?.cause !== "context" ? "unavailable" : "rejected"
  const details = detailsOf(call, { status, said, refusal, body })
  const whole = said.message.slice(0, MAX_WHOLE_LENGTH).toWellFormed()
  return new ModelError(kind, message, { retryAfterMs, status, isVoid, refusal, details, whole, ...code })
}

/** An error in a stream is an object in the provider's own form. */
function messageOf(error: unknown): string {
  if (isFields(error) && typeof error.message === "string") return error.message
  return error instanceof Error ? error.message : String(error)
}

/** Makes one line without the account's secrets and without anything that looks like a key. */
function clean(message: string, secrets: readonly string[]): string {
  return secrets
    .filter((secret) => secret.length >= MIN_KEY_LENGTH)
    .reduce((text, secret) => text.replaceAll(secret, "…"), message)
    .replace(/\b(sk[-_]|pk[-_]|key[-_]|token[-_]|eyJ|Bearer\s)[\w*.-]{6,}/gi, "$1…")
    .replace(/\s+/g, " ")
}

const short = (line: string) => line.slice(0, MAX_MESSAGE_LENGTH)

/** Reads Retry-After in ms: `retry-after-ms`, whole seconds, or an HTTP date (RFC 9110 section 10.2.3). */
function retryAfter(headers: Record<string, string> | undefined): number | undefined {
  const ms = Number(headers?.["retry-after-ms"])
  if (ms > 0) return ms
  const value = headers?.["retry-after"]
  if (!value) return undefined
  const seconds = Number(value)
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000)
  // A date is relative to the provider's clock, its Date header.
  const wait = Date.parse(value) - Date.parse(headers?.date ?? "")
  return Number.isNaN(wait) ? undefined : Math.max(0, wait)
}
