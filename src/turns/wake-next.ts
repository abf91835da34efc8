import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { TURN_POLICY } from "./policies.ts"
import { type Published, publishTurn } from "./publish-turn.ts"

/** A turn that was queued before this has waited too long: the sweeper cancels it, and nobody starts it any more. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/** Publishes the turns that stand first in their conversations since `because` ended. Never throws; the sweeper does the rest. */
export async function wakeNext(ctx: Context, next: Published[], because: string): Promise<void> {
  await inParallel(next, async (turn) => {
    await publishTurn(ctx, turn, { because: `after-${because}` })
  })
}
