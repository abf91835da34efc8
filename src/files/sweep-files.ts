import { sql } from "kysely"
import type { Context } from "../context.ts"
import { describeError } from "../platform/log.ts"
import { FILE_POLICY } from "./policies.ts"
import { type DeletedFile, removeObjects } from "./remove-objects.ts"

export interface FileSweep {
  given_up: number
  removed: number
  failed: number
}

/** Gives up uploads that never ended, and removes the bytes of deleted files. What fails is tried again at a later run. */
export async function sweepFiles(ctx: Context): Promise<FileSweep> {
  const sweep: FileSweep = { given_up: await giveUpUploads(ctx), removed: 0, failed: 0 }
  for (let batch = 0; batch < FILE_POLICY.sweepBatches; batch++) {
    const files = await deletedFiles(ctx)
    if (files.length === 0) break
    try {
      await removeObjects(ctx, files)
      sweep.removed += files.length
    } catch (error) {
      sweep.failed += files.length
      ctx.log("error", "files.remove_failed", { file_ids: idsOf(files), error: describeError(error) })
      await putBehind(ctx, files)
      break
    }
  }
  return sweep
}

async function giveUpUploads(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  const limit = new Date(now.getTime() - FILE_POLICY.uploadLimitMs)
  const { rows } = await sql`update files set state = 'deleted', updated_at = ${now}::timestamptz
    where state = 'uploading' and file_id in (
      select file_id from files where state = 'uploading' and created_at <= ${limit}::timestamptz
      order by created_at limit ${FILE_POLICY.sweepBatch})
    returning 1`.execute(ctx.db)
  return rows.length
}

async function deletedFiles(ctx: Context): Promise<DeletedFile[]> {
  const { rows } = await sql<DeletedFile>`select file_id, object_key from files
    where state = 'deleted' and object_removed_at is null
    order by updated_at limit ${FILE_POLICY.sweepBatch}`.execute(ctx.db)
  return rows
}

/** What fails must not stand before the others at the next run. */
async function putBehind(ctx: Context, files: DeletedFile[]): Promise<void> {
  await sql`update files set updated_at = ${ctx.clock.now()}::timestamptz
    where state = 'deleted'
      and file_id in (select jsonb_array_elements_text(${JSON.stringify(idsOf(files))}::jsonb))`.execute(ctx.db)
}

const idsOf = (files: DeletedFile[]) => files.map(({ file_id }) => file_id)
