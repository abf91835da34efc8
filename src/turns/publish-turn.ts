import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnRow } from "./turn-row.ts"

/** The columns of a turn that publishing needs; wake_at: when the sweeper must publish it again, ISO 8601. */
export type Published = Pick<TurnRow, "turn_id" | "epoch" | "user_id" | "test" | "state"> & { wake_at: string | null }

export const turnCallbackPath = (turnId: string) => `/callbacks/turns/${turnId}`

/**
 * Publishes the callback that advances a turn, and notes it by moving `wake_at` on, the moment at which the sweeper must publish it
 * again, `againMs` after it should arrive. (Accepting a turn has set it already.) Never throws: the sweeper publishes what failed.
 */
export async function publishTurn(
  ctx: Context,
  turn: Published,
  { because, delayMs = 0, againMs = TURN_POLICY.republishMs }: { because: string; delayMs?: number; againMs?: number },
): Promise<boolean> {
  try {
    const wake = turn.wake_at ? new Date(turn.wake_at).getTime() : 0
    // Two sweepers publish one message. A message with another reason is a new one, since the message of an accept may have arrived too
    // early, before the conversation was free.
    const dedupe = `${turn.turn_id}-${turn.epoch}-${wake}-${because}`
    const flow = {
      of: turn.state === "queued" ? "turns" : "begun-turns",
      user_id: turn.user_id,
      test: turn.test,
    } as const
    await ctx.queue.publish({ path: turnCallbackPath(turn.turn_id), flow, delayMs, dedupe })
    if (because !== "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime() + delayMs + againMs)
    return true
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turn_id: turn.turn_id, error: describeError(error) })
    // Makes it due for the sweeper's next run. If this is lost too, the run a minute later sees it.
    if (because === "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime()).catch(() => {})
    return false
  }
}

async function wakeAt(
  ctx: Context,
  { turn_id, epoch }: Pick<Published, "turn_id" | "epoch">,
  ms: number,
): Promise<void> {
  await call(ctx.db, "wake_turn_at", { turn_id, epoch, wake_at: new Date(ms), moment: ctx.clock.now() })
}

/** A turn that was queued before this has waited too long: the sweeper cancels it, and no worker starts it. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/**
 * Publishes the turns that are first in their conversations since the turn `because` ended. Never throws; the sweeper does the rest.
 */
export async function wakeNext(ctx: Context, next: Published[], because: string): Promise<void> {
  await inParallel(next, async (turn) => {
    await publishTurn(ctx, turn, { because: `after-${because}` })
  })
}
