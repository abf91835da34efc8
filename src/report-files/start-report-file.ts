import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { REPORT_FILE_POLICY } from "./policies.ts"
import { publishReportFile } from "./publish-report-file.ts"
import { type FileAsked, type FiledReport, type ReportFile, serializeReportFile } from "./report-file.ts"

export const START_REPORT_FILE_ERRORS = ["LIMIT_REACHED"] as const

interface NewFile {
  report: FiledReport
  asked: FileAsked
  /** The keys of the report's entries, in their order. */
  keys: readonly (number | string)[]
  /** The filters of the request, for the audit log. */
  query: object
}

/**
 * Starts a file of a report, for admins, which a callback writes. A repeat while it is made returns the same file.
 * Throws LIMIT_REACHED if the operator has too many files.
 */
export async function startReportFile(
  ctx: Context,
  credential: SessionCredential,
  { report, asked, keys, query }: NewFile,
): Promise<ReportFile> {
  const { row } = await callAs(ctx, credential, "start_report_file", {
    file_id: newId("report", ctx.clock.now()),
    report,
    asked: { ...asked, query },
    query,
    entries: keys.map(String),
    most: REPORT_FILE_POLICY.perOperator,
  })
  if (!row.entity?.file_id) {
    const message = `You have ${REPORT_FILE_POLICY.perOperator} files of reports. Wait until one of them expires.`
    throw new TurnpikeError("LIMIT_REACHED", message)
  }
  const file = serializeReportFile(row.entity)
  ctx.background(publishReportFile(ctx, file.file_id))
  return file
}
