import type { Context } from "../actor/context.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { PickedAccount } from "./account.ts"
import { type PoolContext, publishSoon } from "./capacity.ts"
import { PROVIDER_POLICY } from "./policies.ts"
import type { Suspension } from "./reactions.ts"
import type { QuotaWindow } from "./windows.ts"

/** The facts that a failed call shows about its account. `health`: its login was refused for good. */
interface Said {
  coolUntil: Date | null
  health: "needs_login" | null
  /** The reason, as one of our codes. */
  reason: string
  /** A model that the account does not have. */
  lacks?: string | null
  /** Why the provider suspended the account. Then `coolUntil` ends its first pause. */
  suspended?: Suspension | null
  windows: QuotaWindow[]
}

/**
 * Stores what a failed call shows about its account. Never throws. The isolate stops calling the
 * account before the database knows, since other calls may have picked it already.
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
 * Counts a call that the account rejected while another account served it, and suspends the account after
 * `PROVIDER_POLICY.rejections`. Returns whether it is suspended. Never throws.
 */
export async function noteRejection(ctx: PoolContext, account: PickedAccount): Promise<boolean> {
  const { provider_id } = account
  try {
    const args = { provider_id, most: PROVIDER_POLICY.rejections }
    const { note_rejection: suspends } = await callOne(ctx.db, "note_rejection", args)
    if (suspends !== true) return false
  } catch (error) {
    ctx.log("error", "provider.unnoted", { provider_id, error: describeError(error) })
    return false
  }
  const coolUntil = new Date(ctx.clock.now().getTime() + PROVIDER_POLICY.barredMs)
  const said = { coolUntil, health: null, reason: "rejected", suspended: "rejects_calls", windows: [] } as const
  await noteAccount(ctx, account, { ...said, windows: [] })
  return true
}

/**
 * Lets the next call probe the account, because this probe was cut or its request was refused.
 * `readAt`: when the probe was taken, in milliseconds. Never throws.
 */
export async function releaseProbe(ctx: Context, { provider_id }: PickedAccount, readAt: number): Promise<void> {
  const before = new Date(readAt + 2 * PROVIDER_POLICY.probeMs)
  await call(ctx.db, "release_probe", { provider_id, before }).catch((error: unknown) =>
    ctx.log("error", "provider.unnoted", { provider_id, error: describeError(error) }),
  )
}

/**
 * True if this isolate knows that the account cools, and a statement sent at `readAt` (in
 * milliseconds) could not know it.
 */
export function coolsMeanwhile({ cooling, clock }: Context, providerId: string, readAt: number): boolean {
  const known = cooling.get(providerId)
  if (!known) return false
  return known.notedAt === null ? clock.now().getTime() < known.until : readAt <= known.notedAt
}

/** Accounts that must not be called and whose cooling the database may not know yet. */
export function unnotedAccounts({ cooling, clock }: Context): string[] {
  const now = clock.now().getTime()
  return [...cooling].flatMap(([id, { until, notedAt }]) => (notedAt === null && now < until ? [id] : []))
}

/** Forgets the cooling of an account that just served a call, unless a newer cooling has not ended. */
export function forgetCooling({ cooling, clock }: Context, providerId: string): void {
  if ((cooling.get(providerId)?.until ?? 0) <= clock.now().getTime()) cooling.delete(providerId)
}
