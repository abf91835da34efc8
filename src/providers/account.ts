import type { EngineName, ModelAccounts } from "../agent/engine.ts"
import type { Answers } from "../platform/procedures.ts"
import type { CallCredential } from "./refresh.ts"
import type { KnownWindow, QuotaWindow } from "./windows.ts"

/** How an account is opened. */
export const ACCOUNT_KINDS = ["api_key", "oauth_code", "oauth_device"] as const
/** What an account keeps of its credential's state. */
export const ACCOUNT_HEALTH = ["healthy", "needs_login", "contained"] as const

/** An account as a statement has picked it for a call (src/providers/pick-account.sql). */
export type PickedAccount = Answers["picked_account"] & {
  kind: (typeof ACCOUNT_KINDS)[number]
  engine: RealEngine
  windows: Record<string, KnownWindow>
  /** The times are ISO 8601. */
  lacks: Record<string, string>
}

export type RealEngine = Exclude<EngineName, "rehearsal">

/** There are accounts, but none for this call. `cooling_until`: the earliest recovery, ISO 8601; null: none recovers by itself. */
export interface NoAccount {
  cooling_until: string | null
}

/** What a step's commit writes of the account that served it. */
export interface Served {
  account: string
  /** The conversation stays with it. */
  bind: boolean
  /** It serves again after it has cooled. */
  probe: boolean
  /** What its answer said of its windows; null: nothing new. */
  windows: QuotaWindow[] | null
}

/** What the engine takes for a call by this account. */
export function modelAccounts({ engine, base_url }: PickedAccount, credential: CallCredential): ModelAccounts {
  const { kind, secret, headers } = credential
  const account = {
    ...(kind === "api_key" ? { apiKey: secret } : { authToken: secret }),
    ...(base_url !== null && { baseUrl: base_url }),
    headers,
  }
  return { [engine]: account }
}
