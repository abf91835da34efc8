import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { queueLimit } from "../turns/policies.ts"
import { type EndCause, endExpired, endTurns, sweepEnding } from "./end-turns.ts"

/** How much work a request and a run of the sweep do to end turns. Times in milliseconds. */
export const ENDING_POLICY = {
  /** The most statements for one key, account or space. Each ends up to `cancelBatch` turns. */
  batches: 50,
  /** The same for the request that archives a space. It leaves the rest to the sweep, so it answers soon. */
  archiveBatches: 5,
  /** How many keys, accounts and spaces one run of the sweep handles, beginning with the one tried longest ago. */
  sweepKeys: 50,
  sweepUsers: 50,
  sweepSpaces: 20,
  /** By then, all turns are committed whose acceptance began before the key was revoked or the account disabled. */
  settlesMs: 120_000,
  /** The same for an archived space. */
  archiveSettlesMs: 300_000,
  /** Turns that never started: the sweep's time, how many of the oldest one look reads, and batches of an account. */
  expireMs: 40_000,
  expireLook: 5_000,
  expireBatches: 10,
} as const

/** A key whose open turns must end. */
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
  return { cause: "key", userId: user_id, keyId: key_id }
}

const disabled = (userId: number): EndCause => ({ cause: "user", userId })

const archived = ({ space_id, user_id, test }: EndingSpace): EndCause => {
  return { cause: "space", userId: user_id, test, spaceId: space_id }
}

/** Ends open turns of a revoked key, as many as one request can; the sweep ends the rest. */
export async function endKeyTurns(ctx: Context, key: EndingKey): Promise<void> {
  await endTurns(ctx, revoked(key), { batches: ENDING_POLICY.batches })
}

/** Ends open turns of a disabled account, as many as one request can; the sweep ends the rest. */
export async function endUserTurns(ctx: Context, userId: number): Promise<void> {
  await endTurns(ctx, disabled(userId), { batches: ENDING_POLICY.batches })
}

/** Ends the first open turns of an archived space; the sweep ends the rest. */
export async function endSpaceTurns(ctx: Context, space: EndingSpace): Promise<void> {
  await endTurns(ctx, archived(space), { batches: ENDING_POLICY.archiveBatches })
}

/** Ends the remaining turns of revoked keys, including turns that were being accepted when the key was revoked. */
export async function sweepRevokedKeys(ctx: Context): Promise<{ turns: number; failed: number }> {
  const { batches, settlesMs, sweepKeys: most } = ENDING_POLICY
  const take = async (triedBefore: Date) => {
    const { user_id, key_id } = await takeEnding(ctx, "key", triedBefore)
    return user_id !== null && key_id !== null ? revoked({ user_id, key_id }) : null
  }
  const { touched, failed } = await sweepEnding(ctx, take, { most, batches, settlesMs })
  return { turns: touched, failed }
}

/** Ends the remaining turns of disabled accounts, including turns that were being accepted at that moment. */
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
 * Ends the remaining turns of archived spaces, including turns that were being accepted at that moment. A space is done
 * when no turn is left some minutes after it was archived.
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

/** Cancels turns that no worker started in time, account by account, until none is left or the sweep's time is over. */
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
        const { touched, all } = await endExpired(ctx, userId, { batches: ENDING_POLICY.expireBatches })
        sweep.turns += touched
        if (all) passed.add(userId)
      } catch (error) {
        // A failing account must not keep the sweep from the others.
        passed.add(userId)
        sweep.failed++
        ctx.log("error", "sweep.expiry_failed", { user_id: userId, error: describeError(error) })
      }
    })
  }
  return sweep
}
