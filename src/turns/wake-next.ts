import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "./policies.ts"
import { publishTurn } from "./publish-turn.ts"
import type { TurnRow } from "./turn-row.ts"

/** What an ending statement returns about its conversation: a turn behind it exists when last_position is greater. */
export interface EndedTurn extends TurnRow {
  last_position: number
}

/** A turn that was queued before this has waited too long: the sweeper cancels it, and nobody starts it any more. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/** Publishes the next queued turn of a conversation in which `ended` ended. Never throws; the sweeper does the rest. */
export async function wakeNext(ctx: Context, ended: EndedTurn): Promise<void> {
  if (ended.last_position <= ended.position) return
  await wakeHeads(ctx, [ended.conversation_id], `after-${ended.turn_id}`)
}

/** Publishes the first open turn of each of these conversations, if it is queued. Never throws; the sweeper does the rest. */
export async function wakeHeads(ctx: Context, conversationIds: string[], because: string): Promise<void> {
  if (conversationIds.length === 0) return
  try {
    const { rows } = await sql<Pick<TurnRow, "turn_id" | "epoch" | "wake_at" | "state" | "created_at">>`
      select distinct on (conversation_id) turn_id, epoch, wake_at, state, created_at from turns
      where conversation_id in (select jsonb_array_elements_text(${JSON.stringify(conversationIds)}::jsonb))
        and state in ('queued', 'running')
      order by conversation_id, position`.execute(ctx.db)
    for (const next of rows) {
      if (next.state === "queued" && new Date(next.created_at) > queueLimit(ctx.clock.now())) {
        await publishTurn(ctx, next, { because })
      }
    }
  } catch (error) {
    ctx.log("error", "turn.wake_next_failed", { because, error: describeError(error) })
  }
}
