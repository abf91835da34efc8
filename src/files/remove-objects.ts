import { sql } from "kysely"
import type { Context } from "../context.ts"

export interface DeletedFile {
  file_id: string
  object_key: string
}

/** Removes the bytes of files that are deleted, and notes it. May be repeated. */
export async function removeObjects(ctx: Context, files: DeletedFile[]): Promise<void> {
  await ctx.files.delete(files.map(({ object_key }) => object_key))
  const ids = JSON.stringify(files.map(({ file_id }) => file_id))
  await sql`update files set object_removed_at = ${ctx.clock.now()}::timestamptz
    where file_id in (select jsonb_array_elements_text(${ids}::jsonb)) and state = 'deleted'`.execute(ctx.db)
}
