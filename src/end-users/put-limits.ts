import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { countReached } from "../base/counted.ts"
import { fromUsd } from "../base/money.ts"
import { storedRate } from "../quotas/rate.ts"
import { type EndUserRow, needsScopeAll } from "./get-end-user.ts"
import type { PutLimits } from "./schemas.ts"

export const PUT_LIMITS_ERRORS = ["SCOPE_DENIED", "LIMIT_REACHED"] as const

/**
 * Replaces an end user's limits. Throws SCOPE_DENIED for a key that cannot access the whole account, and
 * LIMIT_REACHED.
 */
export async function putLimits(
  ctx: Context,
  credential: Credential,
  ref: string,
  { daily_usd, monthly_usd, blocked, rate }: PutLimits,
): Promise<EndUserRow> {
  const micros = (usd: number | null) => (usd === null ? null : fromUsd(usd))
  const { row } = await callFreeing(ctx, credential, "put_end_user_limits", {
    ref,
    daily: micros(daily_usd),
    monthly: micros(monthly_usd),
    blocked: blocked ?? false,
    rate: storedRate(rate),
  })
  if (row.reached) throw countReached(row.reached)
  if (!row.end_user) throw needsScopeAll("Setting an end user's limits")
  return row.end_user
}
