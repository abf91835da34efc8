import { TurnpikeError } from "../base/errors.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/**
 * Why a provider issued no tokens. refused: it rejected the code or refresh token. pending, slow_down, denied,
 * expired: answers to a poll. passing: unavailable, or not sent. lost: no readable answer, so the outcome is unknown.
 */
export type TokenFailure = "refused" | "pending" | "slow_down" | "denied" | "expired" | "passing" | "lost"

/**
 * Its message and cause are our own words. They never quote the provider's
 * answer, which may contain a token.
 */
export class TokenError extends Error {
  readonly kind: TokenFailure
  /** True if an answer arrived: then the code or token that was sent is used up. */
  readonly answered: boolean

  constructor(kind: TokenFailure, message: string, answered = true) {
    super(message)
    this.name = "TokenError"
    this.kind = kind
    this.answered = answered
  }
}

/** Converts the failure to an error for the admin who logs in. `param`: the field with the rejected value. */
export function loginError(error: unknown, param?: string): unknown {
  if (!(error instanceof TokenError)) return error
  const { kind, message } = error
  const cause = new Error(message)
  if (kind === "refused") {
    const text = "The provider rejected this code: it is wrong, was used already, or is too old. Start the login again."
    return new TurnpikeError("LOGIN_CODE_INVALID", text, { ...(param && { param }), cause })
  }
  if (kind === "denied") return new TurnpikeError("LOGIN_DENIED", "The login was declined at the provider.", { cause })
  if (kind === "passing") {
    const text = "The provider is unavailable. Repeat the request shortly."
    const retryAfter = PROVIDER_POLICY.retryAfterSeconds
    return new TurnpikeError("LOGIN_PROVIDER_UNAVAILABLE", text, { retryAfter, cause })
  }
  const text = `The provider's answer did not arrive or is not valid, so nothing was saved: ${message} Start the login again.`
  return new TurnpikeError("LOGIN_PROVIDER_FAILED", text, { cause })
}
