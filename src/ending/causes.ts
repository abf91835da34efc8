import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { queueLimit } from "../turns/policies.ts"
import { type EndCause, endTurns, sweepEnding } from "./end-turns.ts"

/** How much of an ending one request does, and one run of the sweeper the rest. Times in milliseconds. */
export const ENDING_POLICY = {
  /** Statements of `cancelBatch` turns each, for one key, account or space. */
  batches: 50,
  /** An archive answers after the first ones. */
  archiveBatches: 5,
  /** Keys, accounts or spaces that one run of the sweeper takes, those first that were tried longest ago. */
  sweepKeys: 50,
  sweepUsers: 50,
  sweepSpaces: 20,
  /** A turn whose acceptance began before its key was revoked or its account disabled is there by then. */
  settlesMs: 120_000,
  /** The same for a space. */
  archiveSettlesMs: 300_000,
  /** What was never started: for so long, the accounts of so many of the oldest turns, and so many batches of one before the next. */
  expireMs: 40_000,
  expireLook: 5_000,
  expireBatches: 10,
} as const

/** A key whose turns are to end. */
interface EndingKey {
  key_id: string
  user_id: number
}

interface EndingSpace {
  space_id: number
  user_id: number
  test: boolean
}

const revoked = ({ key_id, user_id }: EndingKey): EndCause => {
  return { cause: "key", userId: user_id, keyId: key_id, reason: "key_revoked" }
}

const disabled = (userId: number): EndCause => ({ cause: "user", userId, reason: "account_disabled" })

const archived = ({ space_id, user_id, test }: EndingSpace): EndCause => {
  return { cause: "space", userId: user_id, test, spaceId: space_id, reason: "space_archived" }
}

/** Ends the open turns of a key that was revoked, as many as one request takes; the sweeper does the rest. */
export async function endKeyTurns(ctx: Context, key: EndingKey): Promise<void> {
  await endTurns(ctx, revoked(key), { batches: ENDING_POLICY.batches })
}

/** Ends the open turns of a disabled account, as many as one request takes; the sweeper does the rest. */
export async function endUserTurns(ctx: Context, userId: number): Promise<void> {
  await endTurns(ctx, disabled(userId), { batches: ENDING_POLICY.batches })
}

/** Ends the first open turns of an archived space; the sweeper does the rest. */
export async function endSpaceTurns(ctx: Context, space: EndingSpace): Promise<void> {
  await endTurns(ctx, archived(space), { batches: ENDING_POLICY.archiveBatches })
}

/** Ends what is left of the turns of revoked keys: those beyond the first batches, and those whose acceptance was under way. */
export async function sweepRevokedKeys(ctx: Context): Promise<{ turns: number; failed: number }> {
  const { batches, settlesMs, sweepKeys: most } = ENDING_POLICY
  const take = async (triedBefore: Date) => {
    const { user_id, key_id } = await takeEnding(ctx, "key", triedBefore)
    return user_id !== null && key_id !== null ? revoked({ user_id, key_id }) : null
  }
  const { touched, failed } = await sweepEnding(ctx, take, { most, batches, settlesMs })
  return { turns: touched, failed }
}

/** Ends what is left of the turns of disabled accounts, those included whose acceptance was under way. */
export async function sweepDisabledUsers(ctx: Context): Promise<{ turns: number; failed: number }> {
  const { batches, settlesMs, sweepUsers: most } = ENDING_POLICY
  const take = async (triedBefore: Date) => {
    const { user_id } = await takeEnding(ctx, "user", triedBefore)
    return user_id !== null ? disabled(user_id) : null
  }
  const { touched, failed } = await sweepEnding(ctx, take, { most, batches, settlesMs })
  return { turns: touched, failed }
}

/**
 * Ends what is left of the turns of archived spaces: those beyond the first batch, and those whose acceptance was under way.
 * A space is done with when nothing is left some minutes after it was archived.
 */
export async function sweepArchivedSpaces(ctx: Context): Promise<{ cancelled: number; done: number; failed: number }> {
  const { batches, archiveSettlesMs: settlesMs, sweepSpaces: most } = ENDING_POLICY
  const take = async (triedBefore: Date) => {
    const { user_id, space_id, test } = await takeEnding(ctx, "space", triedBefore)
    return user_id !== null && space_id !== null && test !== null ? archived({ user_id, space_id, test }) : null
  }
  const { touched, done, failed } = await sweepEnding(ctx, take, { most, batches, settlesMs })
  return { cancelled: touched, done, failed }
}

function takeEnding(ctx: Context, cause: EndCause["cause"], triedBefore: Date) {
  return callOne(ctx.db, "take_ending", { cause, tried_before: triedBefore, moment: ctx.clock.now() })
}

/** Cancels the turns that nobody has started in time, account by account, until none is left or its time is over. */
export async function sweepExpiredTurns(ctx: Context): Promise<{ turns: number; failed: number }> {
  const sweep = { turns: 0, failed: 0 }
  const until = queueLimit(ctx.clock.now())
  const stopAt = ctx.clock.now().getTime() + ENDING_POLICY.expireMs
  const passed = new Set<number>()
  while (ctx.clock.now().getTime() < stopAt) {
    const args = { queued_before: until, limit: ENDING_POLICY.expireLook, passed: [...passed] }
    const accounts = await call(ctx.db, "accounts_with_expired", args)
    const left = accounts.flatMap(({ user_id }) => user_id ?? [])
    if (left.length === 0) break
    await inParallel(left, async (userId) => {
      try {
        const cause = { cause: "expired", userId, until, reason: "expired" } as const
        const { touched, all } = await endTurns(ctx, cause, { batches: ENDING_POLICY.expireBatches })
        sweep.turns += touched
        if (all) passed.add(userId)
      } catch (error) {
        // It does not keep the others.
        passed.add(userId)
        sweep.failed++
        ctx.log("error", "sweep.expiry_failed", { user_id: userId, error: describeError(error) })
      }
    })
  }
  return sweep
}
