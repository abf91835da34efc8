import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { FILE_POLICY } from "./policies.ts"

/** Gives up uploads that never ended, and removes the bytes of deleted files. What fails is tried again at the next run. */
export async function sweepFiles(ctx: Context): Promise<{ removed: number }> {
  const now = ctx.clock.now()
  const limit = new Date(now.getTime() - FILE_POLICY.uploadLimitMs)
  const { rows } = await sql<{ file_id: string; object_key: string }>`with given_up as (
      update files set state = 'deleted', updated_at = ${now}::timestamptz
      where state = 'uploading' and created_at <= ${limit}::timestamptz
    )
    select file_id, object_key from files where state = 'deleted' and object_removed_at is null
    order by updated_at limit ${FILE_POLICY.sweepBatch}`.execute(ctx.db)
  if (rows.length === 0) return { removed: 0 }
  try {
    await ctx.files.delete(rows.map(({ object_key }) => object_key))
    const ids = JSON.stringify(rows.map(({ file_id }) => file_id))
    await sql`update files set object_removed_at = ${now}::timestamptz
      where file_id in (select jsonb_array_elements_text(${ids}::jsonb))`.execute(ctx.db)
    return { removed: rows.length }
  } catch (error) {
    ctx.log("error", "files.sweep_failed", { error: describeError(error) })
    return { removed: 0 }
  }
}
