import type { ModelError } from "../agent/engine.ts"
import { NO_CREDIT } from "../agent/refusal-causes.ts"
import type { PickedAccount } from "./account.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import type { QuotaWindow } from "./windows.ts"

/** The faults of a failed call, as it concerns its account. */
export type CallFault =
  | "window_full"
  | "retry_after"
  | "rate_limited"
  | "unavailable"
  | "silent"
  | "unauthorized"
  | "forbidden"
  | "no_model"
  | "rejected"

/** Why a provider suspended an account, as one of our codes. */
export const SUSPENSIONS = ["not_permitted", "no_credit", "account_disabled", "rejects_calls"] as const
export type Suspension = (typeof SUSPENSIONS)[number]

interface Reaction {
  /**
   * once: the same account is called once more. refreshed: once more, with a
   * refreshed credential. never: it is not.
   */
  again: "once" | "refreshed" | "never"
  /**
   * cools: the account is not called for a time. needs_login: only a new login or key makes it
   * usable. left: this conversation leaves it. lacks_model: it is not called for this model for a
   * time, while others have it. stays: no effect.
   */
  account: "cools" | "needs_login" | "left" | "lacks_model" | "stays"
  /** True if another account is tried. compare: one other is, which shows whose fault it is. */
  failover: boolean | "compare"
}

/**
 * The reaction to each fault. An account that stays keeps its conversations; any other account
 * loses this one. A probe that fails with a fault that fails over cools its account again, except
 * for no_model, which says nothing about limits.
 */
export const REACTIONS: Readonly<Record<CallFault, Reaction>> = {
  // A 429 while a window is full. The account cools until the latest reset of its full windows.
  window_full: { again: "never", account: "cools", failover: true },
  // A 429 with Retry-After, and no window is known to have room. The account cools for that time.
  retry_after: { again: "never", account: "cools", failover: true },
  // A 429 with neither: it is not the account's fault.
  rate_limited: { again: "never", account: "stays", failover: true },
  // A 5xx (529: overloaded), a network error, or an answer that cannot be read.
  unavailable: { again: "once", account: "stays", failover: true },
  // No answer within the model's time limit. A second silence would cost the turn as much time again.
  silent: { again: "never", account: "left", failover: true },
  // A 401. If the refreshed credential is refused too, the account needs a new login.
  unauthorized: { again: "refreshed", account: "needs_login", failover: true },
  // A 402, 403, 429 `insufficient_quota`, or a 400 about a disabled account or missing credit. The account is
  // suspended: one probe follows after ten minutes, then after twice as long, up to six hours. A 403 about a model
  // suspends nothing.
  forbidden: { again: "never", account: "cools", failover: true },
  // A 404: the account does not have the model. It is not called for this model for ten minutes, while others have it.
  no_model: { again: "never", account: "lacks_model", failover: true },
  // Any other 4xx. If one other account rejects the request too, it is refused. If that account serves it, the fault is
  // the first one's: three such calls since its last success suspend it, whatever its words are.
  rejected: { again: "never", account: "stays", failover: "compare" },
}

/**
 * The short cut for known words, which need no comparison. Anthropic answers 400 for a disabled organization and for
 * one without credit.
 */
const BARRED_ACCOUNT =
  /\b(organization|account)\b[^.]*\b(disabled|suspended|deactivated|banned)\b|\bcredit balance is too low\b/i

/** The code of a ModelError for a model that sent nothing within its time limit. */
export const SILENT = "silent"

/** A window that is used more than this has no room, since providers round. */
const FULL_PCT = 99

interface Verdict {
  fault: CallFault
  coolUntil: Date | null
  /** Why the account is suspended. Then `coolUntil` ends its first pause. */
  suspended: Suspension | null
}

/**
 * Classifies an error: its fault, the end of the cooling, and the suspension. `windows`: as
 * the failed answer reported them.
 */
export function faultOf(
  error: ModelError,
  account: Pick<PickedAccount, "windows">,
  windows: readonly QuotaWindow[],
  now: Date,
): Verdict {
  const { kind, status, code, retryAfterMs, message } = error
  const none = (fault: CallFault) => ({ fault, coolUntil: null, suspended: null })
  if (status === 401) return none("unauthorized")
  // A 403 about a model says nothing about the account's other calls.
  if (status === 403 && /\bmodel\b/i.test(message)) return none("forbidden")
  const suspended = suspensionOf(error)
  if (suspended) return { fault: "forbidden", coolUntil: new Date(now.getTime() + PROVIDER_POLICY.barredMs), suspended }
  if (status === 404) return none("no_model")
  if (code === SILENT) return none("silent")
  if (status !== 429) return none(kind === "unavailable" ? "unavailable" : "rejected")
  const known = knownWindows(account, windows, now.getTime())
  const resets = known.flatMap(({ used_pct, reset }) => (used_pct >= 100 ? [reset] : []))
  if (resets.length > 0) return { ...none("window_full"), coolUntil: new Date(Math.max(...resets)) }
  const hasRoom = known.length > 0 && known.every(({ used_pct }) => used_pct <= FULL_PCT)
  if (!retryAfterMs || hasRoom) return none("rate_limited")
  return {
    ...none("retry_after"),
    coolUntil: new Date(now.getTime() + Math.min(retryAfterMs, PROVIDER_POLICY.longestMs)),
  }
}

function suspensionOf({ status, code, message }: ModelError): Suspension | null {
  if (status === 402 || (status === 429 && code === NO_CREDIT)) return "no_credit"
  if (status === 403) return "not_permitted"
  if (status !== 400 || !BARRED_ACCOUNT.test(message)) return null
  return /\bcredit balance\b/i.test(message) ? "no_credit" : "account_disabled"
}

/** The windows that have not ended. This answer's values replace the values of earlier answers. */
function knownWindows({ windows: earlier }: Pick<PickedAccount, "windows">, told: readonly QuotaWindow[], now: number) {
  const newest = new Map(Object.entries(earlier).map(([key, { used_pct, reset_at }]) => [key, { used_pct, reset_at }]))
  for (const window of told) newest.set(`${window.resource}:${window.window_seconds}`, window)
  return [...newest.values()].flatMap(({ used_pct, reset_at }) => {
    const reset = reset_at === null ? Number.NaN : Date.parse(reset_at)
    return reset > now ? [{ used_pct, reset }] : []
  })
}
