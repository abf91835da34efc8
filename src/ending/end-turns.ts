import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { postBehind } from "../billing/post-charges.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/** The key, space, end user or account whose open turns end, and the status_reason that these turns get. */
export type EndCause =
  | { cause: "user"; userId: number; reason: "account_disabled" }
  | { cause: "key"; userId: number; keyId: string; reason: "key_revoked" }
  | { cause: "space"; userId: number; test: boolean; spaceId: number; reason: "space_archived" }
  | { cause: "expired"; userId: number; until: Date; reason: "expired" }
  | { cause: "end_user"; userId: number; test: boolean; endUserRef: string; until: Date; reason: "end_user_erased" }

/**
 * Ends the open turns of a cause, in up to `batches` statements of `cancelBatch` turns: queued turns are cancelled and
 * running turns asked to stop. Calls a runner for the turns that waited for them. Returns how many turns it touched;
 * `all` is true if none is left. A repeat touches only turns that were opened since.
 */
export async function endTurns(
  ctx: Context,
  cause: EndCause,
  { batches }: { batches: number },
): Promise<{ touched: number; all: boolean }> {
  let count = 0
  for (let batch = 0; batch < batches; batch++) {
    const { touched, next, posts } = await endBatch(ctx, cause)
    if (touched.length === 0) return { touched: count, all: true }
    count += touched.length
    if (posts) postBehind(ctx, cause.userId)
    const one = touched.find(({ has_subscriber }) => has_subscriber)
    if (one) wakeWebhooks(ctx, one)
    // A running turn without a worker ends when the next runner claims it.
    const isIdle = touched.some(({ state, lease_until }) => state === "running" && lease_until === null)
    if (next || isIdle) await callRunner(ctx)
  }
  return { touched: count, all: false }
}

async function endBatch(ctx: Context, cause: EndCause) {
  const now = ctx.clock.now()
  const { touched, next, posts } = await callOne(ctx.db, "end_turns", {
    cause: cause.cause,
    user_id: cause.userId,
    test: "test" in cause ? cause.test : null,
    key_id: "keyId" in cause ? cause.keyId : null,
    space_id: "spaceId" in cause ? cause.spaceId : null,
    end_user: "endUserRef" in cause ? cause.endUserRef : null,
    until: "until" in cause ? cause.until : null,
    reason: cause.reason,
    event_ids: Array.from({ length: TURN_POLICY.cancelBatch }, () => newId("event", now)),
    limit: TURN_POLICY.cancelBatch,
    moment: now,
  })
  return { touched: touched ?? [], next: next === true, posts: posts === true }
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
      ctx.log("error", "sweep.ending_failed", { reason: cause.reason, error: describeError(error) })
    }
  }
  return sweep
}
