import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { TurnRow } from "./turn-row.ts"

/**
 * Gives the lease back after a run broke, so that QStash's next attempt goes on at once instead of after the lease.
 * The attempt stays counted. Best effort: when this fails too, the lease runs out and the sweeper takes over.
 */
export async function releaseTurn(ctx: Context, turn: TurnRow): Promise<void> {
  try {
    const { turn_id, epoch } = turn
    await call(ctx.db, "release_turn", { turn_id, epoch, moment: ctx.clock.now() })
  } catch (error) {
    ctx.log("error", "turn.release_failed", { turn_id: turn.turn_id, error: describeError(error) })
  }
}
