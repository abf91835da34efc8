import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"

export interface DeletedFile {
  file_id: string
  object_key: string
}

/** Removes the bytes of files that are deleted, and notes it. May be repeated. */
export async function removeObjects(ctx: Context, files: DeletedFile[]): Promise<void> {
  await ctx.files.delete(files.map(({ object_key }) => object_key))
  const ids = files.map(({ file_id }) => file_id)
  await call(ctx.db, "note_removed_files", { file_ids: ids, moment: ctx.clock.now() })
}
