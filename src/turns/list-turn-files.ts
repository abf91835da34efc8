import { type Expression, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { SessionCredential } from "../actor/actor.ts"
import { readAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { FileRow } from "../files/serialize-file.ts"
import { turnNotFound } from "./get-turn.ts"
import { visibleTurn } from "./visible-turn.ts"

/** The existing files that were sent with a turn or made by its agent, oldest first. Throws NOT_FOUND. */
export async function listTurnFiles(ctx: Context, credential: SessionCredential, turnId: string): Promise<FileRow[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    visibleTurn(db, turnId).select((turn) => {
      const sent = turn.selectFrom(fileIdsIn(turn.ref("t.file_ids"))).select("sent.file_id")
      const made = turn.selectFrom("files as made").whereRef("made.turn_id", "=", "t.turn_id").select("made.file_id")
      const files = turn
        .selectFrom("files as f")
        .where("f.state", "=", "ready")
        .where("f.file_id", "in", sent.union(made))
        .selectAll("f")
        .select("s.slug as space")
        .orderBy("f.file_id", (order) => order.collate("C"))
      return jsonArrayFrom(files).as("files")
    }),
  )
  if (!rows[0]) throw turnNotFound(turnId)
  return rows[0].files
}

/** The ids in a JSON list, as rows. */
export const fileIdsIn = (list: Expression<unknown>) =>
  sql<{ file_id: string }>`jsonb_array_elements_text(${list})`.as<"sent">(sql`sent(file_id)`)
