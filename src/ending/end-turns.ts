import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { Procedures } from "../platform/procedures.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/** The key, space, end user or account whose open turns end. */
export type EndCause =
  | { cause: "user"; userId: number }
  | { cause: "key"; userId: number; keyId: string }
  | { cause: "space"; userId: number; test: boolean; spaceId: number }
  | { cause: "end_user"; userId: number; test: boolean; endUserRef: string; until: Date }

interface Ended {
  touched: number
  /** True if none is left. */
  all: boolean
}

/**
 * Ends the open turns of a cause, in up to `batches` statements of `cancelBatch` turns: queued turns are cancelled and
 * running turns asked to stop. Calls a runner for the turns that waited for them. A repeat touches only turns that were
 * opened since.
 */
export function endTurns(ctx: Context, cause: EndCause, { batches }: { batches: number }): Promise<Ended> {
  const named = {
    cause: cause.cause,
    test: "test" in cause ? cause.test : null,
    key_id: "keyId" in cause ? cause.keyId : null,
    space_id: "spaceId" in cause ? cause.spaceId : null,
    end_user: "endUserRef" in cause ? cause.endUserRef : null,
    until: "until" in cause ? cause.until : null,
  }
  return inBatches(ctx, cause.userId, batches, (batch) => callOne(ctx.db, "end_turns", { ...batch, ...named }))
}

/** Does the same for turns of an account that no worker started in time. Only the sweep uses it. */
export const endExpired = (ctx: Context, userId: number, { batches }: { batches: number }): Promise<Ended> =>
  inBatches(ctx, userId, batches, (batch) => callOne(ctx.db, "end_expired", batch))

interface Batch {
  user_id: number
  event_ids: string[]
  limit: number
  moment: Date
}

async function inBatches(
  ctx: Context,
  userId: number,
  batches: number,
  end: (batch: Batch) => Promise<Procedures["end_turns"]["row"]>,
): Promise<Ended> {
  let count = 0
  for (let batch = 0; batch < batches; batch++) {
    const moment = ctx.clock.now()
    const event_ids = Array.from({ length: TURN_POLICY.cancelBatch }, () => newId("event", moment))
    const ended = await end({ user_id: userId, event_ids, limit: TURN_POLICY.cancelBatch, moment })
    const touched = ended.touched ?? []
    if (touched.length === 0) return { touched: count, all: true }
    count += touched.length
    if (ended.posts) postBehind(ctx, userId)
    const one = touched.find(({ has_subscriber }) => has_subscriber)
    if (one) wakeWebhooks(ctx, one)
    // A running turn without a worker ends when the next runner claims it.
    const isIdle = touched.some(({ state, lease_until }) => state === "running" && lease_until === null)
    if (ended.next || isIdle) await callRunner(ctx)
  }
  return { touched: count, all: false }
}

/**
 * Ends the turns that requests left open, for up to `most` causes. `take` returns the cause that was tried longest ago,
 * or null if this run has tried all. A failing cause does not stop the others. A cause is done when it has no open turn
 * `settlesMs` after it ended. Returns how many turns were touched, and how many causes are done or failed.
 */
export async function sweepEnding(
  ctx: Context,
  take: (triedBefore: Date) => Promise<EndCause | null>,
  { most, batches, settlesMs }: { most: number; batches: number; settlesMs: number },
): Promise<{ touched: number; done: number; failed: number }> {
  const sweep = { touched: 0, done: 0, failed: 0 }
  const began = ctx.clock.now()
  const settledBefore = new Date(began.getTime() - settlesMs)
  for (let taken = 0; taken < most; taken++) {
    const cause = await take(began)
    if (!cause) break
    try {
      const { touched, all } = await endTurns(ctx, cause, { batches })
      sweep.touched += touched
      if (!all) continue
      const { finish_ending } = await callOne(ctx.db, "finish_ending", {
        cause: cause.cause,
        user_id: cause.userId,
        key_id: "keyId" in cause ? cause.keyId : null,
        space_id: "spaceId" in cause ? cause.spaceId : null,
        settled_before: settledBefore,
      })
      if (finish_ending) sweep.done++
    } catch (error) {
      sweep.failed++
      ctx.log("error", "sweep.ending_failed", { cause: cause.cause, error: describeError(error) })
    }
  }
  return sweep
}
