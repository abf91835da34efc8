import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { readBoardUpdate } from "./board-update.ts"
import { BOARD_POLICY } from "./policies.ts"

/**
 * Keeps what an update of a bot says of who is in a board. Answers whether it was about a group at all. Updates may come twice and in any
 * order: for each person, and for the bot itself, the newest counts.
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
