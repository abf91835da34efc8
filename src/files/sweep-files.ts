import type { Context } from "../actor/context.ts"
import { call, callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { type DeletedFile, removeObjects } from "./delete-file.ts"
import { FILE_POLICY } from "./policies.ts"

export interface FileSweep {
  given_up: number
  removed: number
  failed: number
}

/** Marks abandoned uploads as deleted, and removes the bytes of deleted files. A later run retries failures. */
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
      // Files that fail move to the end, so that they do not block other files in the next run.
      await call(ctx.db, "put_files_behind", { file_ids: idsOf(files), moment: ctx.clock.now() })
      break
    }
  }
  return sweep
}

async function giveUpUploads(ctx: Context): Promise<number> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() - FILE_POLICY.uploadLimitMs)
  const limit = FILE_POLICY.sweepBatch
  return (await callOne(ctx.db, "give_up_uploads", { until, limit, moment: now })).give_up_uploads ?? 0
}

function deletedFiles(ctx: Context): Promise<DeletedFile[]> {
  return ctx.db
    .selectFrom("files")
    .select(["file_id", "object_key"])
    .where("state", "=", "deleted")
    .where("object_removed_at", "is", null)
    .orderBy("updated_at")
    .limit(FILE_POLICY.sweepBatch)
    .execute()
}

const idsOf = (files: DeletedFile[]) => files.map(({ file_id }) => file_id)
