import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnRow } from "./turn-row.ts"

export const turnCallbackPath = (turnId: string) => `/callbacks/turns/${turnId}`

/**
 * Publishes the callback that advances a turn, and records it by moving `wake_at`: the moment at which the sweeper must
 * look again. Never throws: what is not published now, the sweeper publishes, since wake_at has not moved.
 */
export async function publishTurn(
  ctx: Context,
  turn: Pick<TurnRow, "turn_id" | "epoch" | "wake_at">,
  { because, delayMs = 0 }: { because: string; delayMs?: number },
): Promise<boolean> {
  try {
    const wake = turn.wake_at ? new Date(turn.wake_at).getTime() : 0
    // The same wish of two sweepers is one message. Another reason is another wish: what an accept published may have
    // arrived too early, before the conversation was free.
    const dedupe = `${turn.turn_id}-${turn.epoch}-${wake}-${because}`
    await ctx.queue.publish({ path: turnCallbackPath(turn.turn_id), delayMs, dedupe })
    const next = new Date(ctx.clock.now().getTime() + delayMs + TURN_POLICY.republishMs)
    await sql`update turns set wake_at = ${next}::timestamptz
      where turn_id = ${turn.turn_id} and epoch = ${turn.epoch} and wake_at is not null
        and (lease_until is null or lease_until <= ${ctx.clock.now()}::timestamptz)`.execute(ctx.db)
    return true
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turn_id: turn.turn_id, error: describeError(error) })
    return false
  }
}
