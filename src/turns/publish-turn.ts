import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "./policies.ts"
import type { TurnRow } from "./turn-row.ts"

export const turnCallbackPath = (turnId: string) => `/callbacks/turns/${turnId}`

/**
 * Publishes the callback that advances a turn, and records it by moving `wake_at`: the moment at which the sweeper must
 * look again; accepting a turn has set it so already. Never throws: what is not published now, the sweeper publishes.
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
    if (because !== "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime() + delayMs + TURN_POLICY.republishMs)
    return true
  } catch (error) {
    ctx.log("error", "turn.publish_failed", { turn_id: turn.turn_id, error: describeError(error) })
    // So that the sweeper's next run sees it. Should this be lost too, it sees it a minute later.
    if (because === "accept") await wakeAt(ctx, turn, ctx.clock.now().getTime()).catch(() => {})
    return false
  }
}

async function wakeAt(ctx: Context, turn: Pick<TurnRow, "turn_id" | "epoch">, ms: number): Promise<void> {
  await sql`update turns set wake_at = ${new Date(ms)}::timestamptz
    where turn_id = ${turn.turn_id} and epoch = ${turn.epoch} and wake_at is not null
      and (lease_until is null or lease_until <= ${ctx.clock.now()}::timestamptz)`.execute(ctx.db)
}
