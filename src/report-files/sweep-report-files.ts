import type { Context } from "../actor/context.ts"
import { deleteKeys, keysBelow } from "../platform/bucket.ts"
import { callOne } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { REPORT_FILE_POLICY } from "./policies.ts"
import { publishReportFile } from "./publish-report-file.ts"
import { prefixOf } from "./write-report-file.ts"

/** Publishes the lost messages of files that are being made, and removes expired files with their objects. */
export async function sweepReportFiles(ctx: Context): Promise<{ published: number; removed: number; failed: number }> {
  const now = ctx.clock.now()
  const { lost, expired } = await callOne(ctx.db, "take_report_files", {
    lost: new Date(now.getTime() - REPORT_FILE_POLICY.lostMs),
    most: REPORT_FILE_POLICY.sweepBatch,
    moment: now,
  })
  const swept = { published: 0, removed: 0, failed: 0 }
  for (const fileId of lost ?? []) if (await publishReportFile(ctx, fileId)) swept.published++
  for (const fileId of expired ?? []) {
    try {
      await deleteKeys(ctx.files, await keysBelow(ctx.files, prefixOf(fileId)))
      await callOne(ctx.db, "forget_report_file", { file_id: fileId, moment: now })
      swept.removed++
    } catch (error) {
      swept.failed++
      ctx.log("error", "report_file.remove_failed", { file_id: fileId, error: describeError(error) })
    }
  }
  return swept
}
