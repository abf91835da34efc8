import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"

export const reportFileCallbackPath = (fileId: string) => `/callbacks/report-files/${fileId}`

/** Requests a callback that writes a file. Never throws: the sweep publishes again what was lost. */
export async function publishReportFile(ctx: Context, fileId: string): Promise<boolean> {
  try {
    await ctx.queue.publish({ path: reportFileCallbackPath(fileId), flow: null })
    return true
  } catch (error) {
    ctx.log("error", "report_file.publish_failed", { file_id: fileId, error: describeError(error) })
    return false
  }
}
