import type * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { storedRow } from "../base/casts.ts"
import { getTurn } from "./get-turn.ts"
import type { TurnMessage, turnMessagesSchema } from "./messages.ts"

/**
 * Returns the messages of a turn. A text is one message of the user. After the texts are deleted there is none. Throws
 * NOT_FOUND.
 */
export async function getTurnMessages(
  ctx: Context,
  credential: Credential,
  turnId: string,
): Promise<z.output<typeof turnMessagesSchema>> {
  const turn = await getTurn(ctx, credential, turnId)
  if (turn.texts_deleted_at !== null || turn.erased_at !== null) return { turn_id: turnId, messages: [] }
  if (turn.message_bytes === null) return { turn_id: turnId, messages: [{ role: "user", content: turn.text }] }
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("turn_messages as m").where("m.turn_id", "=", turnId).select("m.messages"),
  )
  const [row] = rows
  return { turn_id: turnId, messages: row ? storedRow<{ messages: TurnMessage[] }>(row).messages : [] }
}
