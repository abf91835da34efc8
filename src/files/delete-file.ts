import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { Credential } from "../actor/credential.ts"
import { describeError } from "../platform/log.ts"
import { fileNotFound } from "./get-file.ts"
import { removeObjects } from "./remove-objects.ts"
import type { FileRow } from "./serialize-file.ts"

/** Deletes a file: it is gone for everybody at once, its bytes right after the answer. NOT_FOUND when it was gone before. */
export async function deleteFile(ctx: Context, credential: Credential, fileId: string): Promise<FileRow> {
  const { row } = await callAs(ctx, credential, "delete_file", { file_id: fileId })
  const file = row.file as FileRow | null
  if (!file) throw fileNotFound(fileId)
  // The sweeper removes what this leaves.
  ctx.background(
    removeObjects(ctx, [file]).catch((error: unknown) => {
      ctx.log("error", "file.remove_failed", { file_id: fileId, error: describeError(error) })
    }),
  )
  return file
}
