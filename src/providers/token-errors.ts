import { TurnpikeError } from "../base/errors.ts"
import { PROVIDER_POLICY } from "./policies.ts"

/**
 * Why a provider gave no tokens. refused: it does not take the code or refresh token. pending, slow_down, denied, expired: answers to a
 * poll. passing: it answered that it cannot now, or could not be asked. lost: whether it acted is not known, since its answer did not
 * come, or is not to be read.
 */
export type TokenFailure = "refused" | "pending" | "slow_down" | "denied" | "expired" | "passing" | "lost"

/** Its message and cause say what happened in words of ours: never what a provider sent, which may have a token in it. */
export class TokenError extends Error {
  readonly kind: TokenFailure
  /** Whether an answer has come: then what was sent is used up. */
  readonly answered: boolean

  constructor(kind: TokenFailure, message: string, answered = true) {
    super(message)
    this.name = "TokenError"
    this.kind = kind
    this.answered = answered
  }
}

/** The failure as an admin reads it who logs in. `param`: the field with what the provider did not take. */
export function loginError(error: unknown, param?: string): unknown {
  if (!(error instanceof TokenError)) return error
  const { kind, message } = error
  const cause = new Error(message)
  if (kind === "refused") {
    const text =
      "The provider does not take this code: it is wrong, was used already, or is too old. Start the login again."
    return new TurnpikeError("LOGIN_CODE_INVALID", text, { ...(param && { param }), cause })
  }
  if (kind === "denied") return new TurnpikeError("LOGIN_DENIED", "The login was declined at the provider.", { cause })
  if (kind === "passing") {
    const text = "The provider cannot do it now. Send the same again shortly."
    const retryAfter = PROVIDER_POLICY.retryAfterSeconds
    return new TurnpikeError("LOGIN_PROVIDER_UNAVAILABLE", text, { retryAfter, cause })
  }
  const text = `The provider's answer did not come or is not valid, so nothing was saved: ${message} Start the login again.`
  return new TurnpikeError("LOGIN_PROVIDER_FAILED", text, { cause })
}
