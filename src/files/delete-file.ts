import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { fileNotFound } from "./get-file.ts"
import type { FileRow } from "./serialize-file.ts"

export const DELETE_FILE_ERRORS = ["NOT_FOUND", "SPACE_ROLE_REQUIRED"] as const

/**
 * Deletes a file at once, and its bytes after the response. Throws NOT_FOUND if it does not exist or was already
 * deleted.
 */
export async function deleteFile(ctx: Context, credential: Credential, fileId: string): Promise<FileRow> {
  const { row } = await callAs(ctx, credential, "delete_file", { file_id: fileId })
  if (row.refused === "role") {
    throw new TurnpikeError(
      "SPACE_ROLE_REQUIRED",
      "Another user uploaded this file. You can use it, but not delete it.",
    )
  }
  if (!row.file || row.slug === null) throw fileNotFound(fileId)
  const file = { ...row.file, space: row.slug }
  // If this fails, the sweeper removes the bytes.
  ctx.background(
    removeObjects(ctx, [file]).catch((error: unknown) => {
      ctx.log("error", "file.remove_failed", { file_id: fileId, error: describeError(error) })
    }),
  )
  return file
}

export interface DeletedFile {
  file_id: string
  object_key: string
}

/** Removes the bytes of deleted files, and records it. Can be repeated. */
export async function removeObjects(ctx: Context, files: DeletedFile[]): Promise<void> {
  await ctx.files.delete(files.map(({ object_key }) => object_key))
  const ids = files.map(({ file_id }) => file_id)
  await call(ctx.db, "note_removed_files", { file_ids: ids, moment: ctx.clock.now() })
}
