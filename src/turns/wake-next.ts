import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { publishTurn } from "./publish-turn.ts"
import type { TurnRow } from "./turn-row.ts"

/** What an ending statement returns about its conversation: a turn behind it exists when last_position is greater. */
export interface EndedTurn extends TurnRow {
  last_position: number
}

/** Publishes the next queued turn of a conversation in which `ended` ended. Never throws; the sweeper does the rest. */
export async function wakeNext(ctx: Context, ended: EndedTurn): Promise<void> {
  if (ended.last_position <= ended.position) return
  try {
    const { rows } = await sql<Pick<TurnRow, "turn_id" | "epoch" | "wake_at" | "state">>`
      select turn_id, epoch, wake_at, state from turns
      where conversation_id = ${ended.conversation_id} and state in ('queued', 'running')
      order by position limit 1`.execute(ctx.db)
    if (rows[0]?.state === "queued") await publishTurn(ctx, rows[0], { because: `after-${ended.turn_id}` })
  } catch (error) {
    ctx.log("error", "turn.wake_next_failed", { turn_id: ended.turn_id, error: describeError(error) })
  }
}
