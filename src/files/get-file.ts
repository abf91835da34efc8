import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { KeyCredential } from "../identity/api-key.ts"
import type { FileRow } from "./serialize-file.ts"

/** The jsonb of a file `f` and its space `s`, for FileRow. */
const fileJson = sql`to_jsonb(f) || jsonb_build_object('space', s.slug)`

const visible = sql`f.state = 'ready' and ${inScope}`

export function fileNotFound(fileId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no file "${fileId}" that this key can see.`)
}

/** A file in the key's scope, or NOT_FOUND. */
export async function getFile(ctx: Context, credential: KeyCredential, fileId: string): Promise<FileRow> {
  const { row } = await queryAs<{ file: FileRow | null }>(ctx, credential, {
    select: sql`select ${fileJson} as file from files f join spaces s on s.space_id = f.space_id, caller
      where f.file_id = ${fileId} and ${visible}`,
  })
  if (!row.file) throw fileNotFound(fileId)
  return row.file
}

/** Deletes a file: it is gone for everybody at once, its bytes soon. NOT_FOUND when it was deleted before. */
export async function deleteFile(ctx: Context, credential: KeyCredential, fileId: string): Promise<void> {
  const { row } = await queryAs<{ gone: boolean }>(ctx, credential, {
    ctes: sql`gone as (
      update files f set state = 'deleted', updated_at = ${ctx.clock.now()}::timestamptz
      from spaces s, caller where s.space_id = f.space_id and f.file_id = ${fileId} and ${visible}
      returning 1
    )`,
    select: sql`select exists (select 1 from gone) as gone`,
  })
  if (!row.gone) throw fileNotFound(fileId)
}

/** A page of a space's files, newest first, and whether the space is there: at most `limit` and one more. */
export async function listSpaceFiles(
  ctx: Context,
  credential: KeyCredential,
  { spaceId, after, limit }: { spaceId: string; after: string | undefined; limit: number },
): Promise<FileRow[] | null> {
  const { row } = await queryAs<{ found: boolean; files: FileRow[] }>(ctx, credential, {
    ctes: sql`target as materialized (select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope})`,
    select: sql`select exists (select 1 from target) as found, coalesce((
      select jsonb_agg(page.file order by page.file_id collate "C" desc) from (
        select f.file_id, to_jsonb(f) || jsonb_build_object('space', ${spaceId}::text) as file from files f
        where f.space_id = (select space_id from target) and f.state = 'ready'
          ${after === undefined ? sql`` : sql`and f.file_id collate "C" < ${after}`}
        order by f.file_id collate "C" desc limit ${limit + 1}
      ) page), '[]') as files`,
  })
  return row.found ? row.files : null
}
