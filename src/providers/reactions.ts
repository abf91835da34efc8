import { type ModelError, NO_CREDIT } from "../agent/engine.ts"
import type { PickedAccount } from "./account.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import type { QuotaWindow } from "./windows.ts"

/** What a failed call says of the account that it went to. */
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

/** Why a provider lets an account serve nothing, in a word of ours. */
export const SUSPENSIONS = ["not_permitted", "no_credit", "account_disabled"] as const
export type Suspension = (typeof SUSPENSIONS)[number]

interface Reaction {
  /** once: the same account is called once more. refreshed: once more, with a credential that was refreshed. */
  again: "once" | "refreshed" | "never"
  /**
   * What becomes of the account. cools: it is not called for a time. left: the conversation goes on with whoever serves. lacks_model: it is
   * not asked for this model for a time, while others have it. stays: nothing.
   */
  account: "cools" | "needs_login" | "left" | "lacks_model" | "stays"
  /** Whether another account is tried. */
  failover: boolean
}

/**
 * What an error does, row by row. An account that stays keeps its conversations; any other loses this one. A probe that
 * fails in any way that fails over cools its account again, but for no_model, which says nothing of its limits. An account whose login gives nothing to call with at the moment is not called,
 * and cools for a minute.
 *
 * | fault | the answer | the account |
 * | --- | --- | --- |
 * | window_full | 429, and a window is full | cools until the latest reset of the full ones |
 * | retry_after | 429 with Retry-After, and what is known of its windows shows no room | cools for as long as that says |
 * | rate_limited | 429 with neither | stays: it is not its fault |
 * | unavailable | 5xx (529: overloaded), network, nonsense | is called once more, and stays |
 * | silent | nothing for as long as the model may be silent | is left: a second silence would take a minute of the turn's time again |
 * | unauthorized | 401 | its login is refreshed, and it is called once more; then it needs a new login |
 * | forbidden | 402, 403, 429 `insufficient_quota`, or 400 with words of an account that is disabled or has no credit | is suspended: after ten minutes one call tries it, then after twice as long, up to six hours; it stays where a 403 speaks of a model |
 * | no_model | 404: this account does not have the model | is not asked for that model for ten minutes, while others have it |
 * | rejected | any other 4xx | stays, and the request is refused: no other account would take it |
 */
export const REACTIONS: Readonly<Record<CallFault, Reaction>> = {
  window_full: { again: "never", account: "cools", failover: true },
  retry_after: { again: "never", account: "cools", failover: true },
  rate_limited: { again: "never", account: "stays", failover: true },
  unavailable: { again: "once", account: "stays", failover: true },
  silent: { again: "never", account: "left", failover: true },
  unauthorized: { again: "refreshed", account: "needs_login", failover: true },
  forbidden: { again: "never", account: "cools", failover: true },
  no_model: { again: "never", account: "lacks_model", failover: true },
  rejected: { again: "never", account: "stays", failover: false },
}

/** Anthropic answers 400 for an organization that is disabled, or whose credit is used up. */
const BARRED_ACCOUNT =
  /\b(organization|account)\b[^.]*\b(disabled|suspended|deactivated|banned)\b|\bcredit balance is too low\b/i

/** The code of a ModelError for a model that was silent for too long. */
export const SILENT = "silent"

/** A window with more than this used has no room: providers round what is left. */
const FULL_PCT = 99

interface Verdict {
  fault: CallFault
  coolUntil: Date | null
  /** Why the account serves nothing; `coolUntil` is its first pause then. */
  suspended: Suspension | null
}

/** The row of an error, until when the account cools, and whether it is suspended. `windows`: what the failed answer told. */
export function faultOf(
  error: ModelError,
  account: Pick<PickedAccount, "windows">,
  windows: readonly QuotaWindow[],
  now: Date,
): Verdict {
  const { kind, status, code, retryAfterMs, message } = error
  const none = (fault: CallFault) => ({ fault, coolUntil: null, suspended: null })
  if (status === 401) return none("unauthorized")
  // One that speaks of a model says nothing of the account's other calls.
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

/** The windows that are not over: as this answer told them, and as earlier ones did. */
function knownWindows({ windows: earlier }: Pick<PickedAccount, "windows">, told: readonly QuotaWindow[], now: number) {
  const newest = new Map(Object.entries(earlier).map(([key, { used_pct, reset_at }]) => [key, { used_pct, reset_at }]))
  for (const window of told) newest.set(`${window.resource}:${window.window_seconds}`, window)
  return [...newest.values()].flatMap(({ used_pct, reset_at }) => {
    const reset = reset_at === null ? Number.NaN : Date.parse(reset_at)
    return reset > now ? [{ used_pct, reset }] : []
  })
}
