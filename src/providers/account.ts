import type { EngineName, ModelAccounts } from "../agent/engine.ts"
import type { Answers } from "../platform/procedures.ts"
import type { CallCredential } from "./refresh.ts"
import type { KnownWindow, QuotaWindow } from "./windows.ts"

/** How calls authenticate to an account. */
export const ACCOUNT_KINDS = ["api_key", "oauth_code", "oauth_device"] as const
/** States of an account's credential. */
export const ACCOUNT_HEALTH = ["healthy", "needs_login", "contained"] as const

/** An account that a statement picked for a call (src/providers/pick-account.sql). */
export type PickedAccount = Answers["picked_account"] & {
  kind: (typeof ACCOUNT_KINDS)[number]
  engine: RealEngine
  windows: Record<string, KnownWindow>
  /** Models that the account does not have, each with the time of the next try (ISO 8601). */
  lacks: Record<string, string>
}

export type RealEngine = Exclude<EngineName, "rehearsal">

/**
 * Accounts are enabled, but none can take this call. `cooling_until`: the earliest recovery (ISO
 * 8601), or null if none recovers by itself.
 */
export interface NoAccount {
  cooling_until: string | null
}

/** The facts about the account that served a step. The step's commit writes them. */
export interface Served {
  account: string
  /** True if the conversation stays with this account. */
  bind: boolean
  /** True if the call was a probe, or the account has rejections: it serves again, and both are forgotten. */
  probe: boolean
  /** Windows that the answer reported; null if they are not news. */
  windows: QuotaWindow[] | null
}

/** The settings with which the engine calls this account. */
export function modelAccounts({ engine, base_url }: PickedAccount, credential: CallCredential): ModelAccounts {
  const { kind, secret, headers } = credential
  const account = {
    ...(kind === "api_key" ? { apiKey: secret } : { authToken: secret }),
    ...(base_url !== null && { baseUrl: base_url }),
    headers,
  }
  return { [engine]: account }
}
