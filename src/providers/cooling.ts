import type { Context } from "../actor/context.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { PickedAccount } from "./account.ts"
import { type PoolContext, publishSoon } from "./capacity.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import type { Suspension } from "./reactions.ts"
import type { QuotaWindow } from "./windows.ts"

/** What a failed call says of its account. `health`: its login was refused for good. */
interface Said {
  coolUntil: Date | null
  health: "needs_login" | null
  /** Why, in one word of ours. */
  reason: string
  /** A model that it does not have. */
  lacks?: string | null
  /** Why its provider lets it serve nothing; `coolUntil` is the first pause then. */
  suspended?: Suspension | null
  windows: QuotaWindow[]
}

/**
 * Notes what a failed call says of its account; never throws. This isolate knows at once that an account is not to be called: others
 * may have picked it a moment ago.
 */
export async function noteAccount(ctx: PoolContext, account: PickedAccount, said: Said): Promise<void> {
  const { provider_id, credential_version } = account
  const isOut = said.coolUntil !== null || said.health !== null
  const lacks = said.lacks ?? null
  if (!isOut && lacks === null && said.windows.length === 0) return
  const now = ctx.clock.now()
  const until = said.coolUntil?.getTime() ?? now.getTime() + PROVIDER_POLICY.coolAgainMs
  const known = { until: Math.max(until, ctx.cooling.get(provider_id)?.until ?? 0), notedAt: null as number | null }
  if (isOut) ctx.cooling.set(provider_id, known)
  try {
    const { note_account: isNew } = await callOne(ctx.db, "note_account", {
      provider_id,
      credential_version,
      cool_until: said.coolUntil,
      reason: said.reason,
      health: said.health,
      lacks,
      lacks_until: new Date(now.getTime() + PROVIDER_POLICY.lacksMs),
      suspended: said.suspended ?? null,
      longest_pause_ms: PROVIDER_POLICY.longestBarredMs,
      windows: said.windows.length > 0 ? said.windows : null,
      moment: now,
    })
    known.notedAt = ctx.clock.now().getTime()
    if (isNew) ctx.log("error", "provider.suspended", { provider_id, reason: said.suspended })
    if (isOut) publishSoon(ctx)
  } catch (error) {
    ctx.log("error", "provider.unnoted", { provider_id, error: describeError(error) })
  }
}

/**
 * Lets the next call try an account whose probe has found out nothing of it: its request was refused, or it was cut. `readAt`: when the probe
 * was taken, in milliseconds. Never throws.
 */
export async function releaseProbe(ctx: Context, { provider_id }: PickedAccount, readAt: number): Promise<void> {
  const before = new Date(readAt + 2 * PROVIDER_POLICY.probeMs)
  await call(ctx.db, "release_probe", { provider_id, before }).catch((error: unknown) =>
    ctx.log("error", "provider.unnoted", { provider_id, error: describeError(error) }),
  )
}

/** Whether this isolate knows better than a statement that was sent at `readAt`, in milliseconds, and found the account usable. */
export function coolsMeanwhile({ cooling, clock }: Context, providerId: string, readAt: number): boolean {
  const known = cooling.get(providerId)
  if (!known) return false
  return known.notedAt === null ? clock.now().getTime() < known.until : readAt <= known.notedAt
}

/** The accounts that are not to be called, and whose cooling the database may not know yet. */
export function unnotedAccounts({ cooling, clock }: Context): string[] {
  const now = clock.now().getTime()
  return [...cooling].flatMap(([id, { until, notedAt }]) => (notedAt === null && now < until ? [id] : []))
}

/** A call has shown that the account serves again, unless another has heard meanwhile that it cools anew. */
export function forgetCooling({ cooling, clock }: Context, providerId: string): void {
  if ((cooling.get(providerId)?.until ?? 0) <= clock.now().getTime()) cooling.delete(providerId)
}
