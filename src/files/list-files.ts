import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceInScope, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { FileRow } from "./serialize-file.ts"

export interface FileFilters {
  turn?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** A space's files, newest first; NOT_FOUND for a space out of scope. `created_after` is inclusive, `created_before` exclusive. */
export async function listFiles(
  ctx: Context,
  credential: Credential,
  input: { spaceId: string; filters: FileFilters; limit: number; cursor?: string | undefined },
): Promise<Page<FileRow>> {
  const { spaceId, limit } = input
  const filters = { files_of: spaceId, ...input.filters }
  const after = decodeCursor(input.cursor, filters)
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceInScope)
      .select((target) =>
        jsonArrayFrom(
          target
            .selectFrom("files as f")
            .whereRef("f.space_id", "=", "s.space_id")
            .where("f.state", "=", "ready")
            .$if(filters.turn !== undefined, (query) => query.where("f.turn_id", "=", filters.turn ?? null))
            .$if(after !== undefined, (query) =>
              query.where(({ ref }) => sql`${ref("f.file_id")} collate "C" < ${after}`),
            )
            .where((eb) => eb.and(createdBetween("file", [eb.ref("f.file_id"), eb.ref("f.created_at")], filters)))
            .selectAll("f")
            .select("s.slug as space")
            .orderBy("f.file_id", (order) => order.collate("C").desc())
            .limit(limit + 1),
        ).as("files"),
      ),
  )
  const files = rows[0]?.files
  if (!files) throw spaceNotFound(spaceId)
  return toPage(files.slice(0, limit), { more: files.length > limit, filters, idOf: (file) => file.file_id })
}
