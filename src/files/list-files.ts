import { type ExpressionBuilder, sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import type { Credential, SessionCredential } from "../actor/actor.ts"
import { type CallerDB, readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { createdBetween, decodeCursor, type Page, toPage } from "../base/pagination.ts"
import type { DB } from "../platform/db-types.ts"
import type { FileRow } from "./serialize-file.ts"

export interface FileFilters {
  turn?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** A space's files, newest first. Throws NOT_FOUND. `created_after` is inclusive, and `created_before` exclusive. */
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
      .where(spaceVisible(credential))
      .select((target) =>
        jsonArrayFrom(
          filesOf(target, filters)
            .$if(after !== undefined, (query) =>
              query.where(({ ref }) => sql`${ref("f.file_id")} collate "C" < ${after}`),
            )
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

/** The same list by offset, with the total, for a signed-in user. */
export async function findFiles(
  ctx: Context,
  credential: SessionCredential,
  { spaceId, filters, limit, offset }: { spaceId: string; filters: FileFilters; limit: number; offset: number },
): Promise<{ files: FileRow[]; total: number }> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((target) => [
        filesOf(target, filters)
          .select((eb) => eb.cast<number>(eb.fn.countAll(), "integer").as("total"))
          .as("total"),
        jsonArrayFrom(
          filesOf(target, filters)
            .selectAll("f")
            .select("s.slug as space")
            .orderBy("f.file_id", (order) => order.collate("C").desc())
            .limit(limit)
            .offset(offset),
        ).as("files"),
      ]),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return { files: rows[0].files, total: rows[0].total ?? 0 }
}

/** The files of a space `s` that are ready. */
function filesOf(target: ExpressionBuilder<CallerDB & { s: DB["spaces"] }, "s" | "caller">, filters: FileFilters) {
  return target
    .selectFrom("files as f")
    .whereRef("f.space_id", "=", "s.space_id")
    .where("f.state", "=", "ready")
    .$if(filters.turn !== undefined, (query) => query.where("f.turn_id", "=", filters.turn ?? null))
    .where((eb) => eb.and(createdBetween("file", [eb.ref("f.file_id"), eb.ref("f.created_at")], filters)))
}
