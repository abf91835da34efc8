import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnRow } from "./turn-row.ts"

/** A turn as its callback knows it; wake_at: when somebody would have to look at it again, ISO 8601. */
export type Published = Pick<TurnRow, "turn_id" | "epoch"> & { wake_at: string | null }

export const turnCallbackPath = (turnId: string) => `/callbacks/turns/${turnId}`

/**
 * Publishes the callback that advances a turn, and records it by moving `wake_at`: the moment at which the sweeper must
 * look again; accepting a turn has set it so already. Never throws: what is not published now, the sweeper publishes.
 */
export async function publishTurn(
  ctx: Context,
  turn: Published,
  { because, delayMs = 0 }: { because: string; delayMs?: number },
): Promise<boolean> {
  try {
    const wake = turn.wake_at ? new Date(turn.wake_at).getTime() : 0
    // The same wish of two sweepers is one message. Another reason is another wish: what an accept published may have
    // arrived too early, before the conversation was free.
    const dedupe = `${turn.turn_id}-${turn.epoch}-${wake}-${because}`
    await ctx.queue.publish({ path: turnCallbackPath(turn.turn_id), delayMs, dedupe })
    if (because !== "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime() + delayMs + TURN_POLICY.republishMs)
    return true
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turn_id: turn.turn_id, error: describeError(error) })
    // So that the sweeper's next run sees it. Should this be lost too, it sees it a minute later.
    if (because === "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime()).catch(() => {})
    return false
  }
}

async function wakeAt(ctx: Context, { turn_id, epoch }: Published, ms: number): Promise<void> {
  await call(ctx.db, "wake_turn_at", { turn_id, epoch, wake_at: new Date(ms), moment: ctx.clock.now() })
}

/** A turn that was queued before this has waited too long: the sweeper cancels it, and nobody starts it any more. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/** Publishes the turns that stand first in their conversations since `because` ended. Never throws; the sweeper does the rest. */
export async function wakeNext(ctx: Context, next: Published[], because: string): Promise<void> {
  await inParallel(next, async (turn) => {
    await publishTurn(ctx, turn, { because: `after-${because}` })
  })
}
