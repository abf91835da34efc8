import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { createdBetween } from "../created-between.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { spaceNotFound } from "../spaces/get-space.ts"
import { type FileRow, fileJson } from "./serialize-file.ts"

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
  const where: RawBuilder<unknown>[] = [sql`f.space_id = (select space_id from target)`, sql`f.state = 'ready'`]
  if (after) where.push(sql`f.file_id collate "C" < ${after}`)
  if (filters.turn) where.push(sql`f.turn_id = ${filters.turn}`)
  where.push(...createdBetween("file", ["f", "file_id"], filters))
  const { row } = await queryAs<{ found: boolean; files: FileRow[] }>(ctx, credential, {
    ctes: sql`target as materialized (select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope})`,
    select: sql`select exists (select 1 from target) as found, coalesce((
      select jsonb_agg(page.file order by page.file_id collate "C" desc) from (
        select f.file_id, ${fileJson} as file from files f join target s on s.space_id = f.space_id
        where ${sql.join(where, sql` and `)}
        order by f.file_id collate "C" desc limit ${limit + 1}
      ) page), '[]') as files`,
  })
  if (!row.found) throw spaceNotFound(spaceId)
  return toPage(row.files.slice(0, limit), { more: row.files.length > limit, filters, idOf: (file) => file.file_id })
}
