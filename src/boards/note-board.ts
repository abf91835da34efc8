import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { readBoardUpdate } from "./board-update.ts"
import { BOARD_POLICY } from "./policies.ts"

/**
 * Stores the members that an update of a bot reports. Returns false if the update is not about a group. Updates may
 * arrive twice and in any order; the newest update wins for each person and for the bot itself.
 */
export async function noteBoard(ctx: Context, botId: string, body: unknown): Promise<boolean> {
  const update = readBoardUpdate(body)
  if (!update) return false
  const { note_board: left } = await callOne(ctx.db, "note_board", {
    bot_id: botId,
    update,
    most_boards: BOARD_POLICY.mostBoards,
    most_members: BOARD_POLICY.mostMembers,
    moment: ctx.clock.now(),
  })
  if (left) ctx.log("info", "board.full", { bot_id: botId, chat_id: update.chat_id, left })
  return true
}
