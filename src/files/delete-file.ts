import { sql } from "kysely"
import type { Context } from "../context.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { describeError } from "../platform/log.ts"
import { fileNotFound } from "./get-file.ts"
import { removeObjects } from "./remove-objects.ts"
import { type FileRow, fileJson } from "./serialize-file.ts"

/** Deletes a file: it is gone for everybody at once, its bytes right after the answer. NOT_FOUND when it was gone before. */
export async function deleteFile(ctx: Context, credential: Credential, fileId: string): Promise<FileRow> {
  const now = ctx.clock.now()
  const { row } = await queryAs<{ file: FileRow | null }>(ctx, credential, {
    ctes: sql`gone as (
      update files f set state = 'deleted', updated_at = ${now}::timestamptz
      from spaces s, caller
      where s.space_id = f.space_id and f.file_id = ${fileId} and f.state = 'ready' and ${inScope}
      returning ${fileJson} as file
    )`,
    select: sql`select (select file from gone) as file`,
  })
  const { file } = row
  if (!file) throw fileNotFound(fileId)
  // The sweeper removes what this leaves.
  ctx.background(
    removeObjects(ctx, [file]).catch((error: unknown) => {
      ctx.log("error", "file.remove_failed", { file_id: fileId, error: describeError(error) })
    }),
  )
  return file
}
