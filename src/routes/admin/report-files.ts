import type { Context as HonoContext } from "hono"
import * as z from "zod"
import type { KeyedParts, ListHead } from "../../base/in-parts.ts"
import { invalid } from "../../base/invalid-field.ts"
import { spanOf } from "../../base/report-range.ts"
import { answerJson } from "../../http/answer-json.ts"
import type { App } from "../../http/app.ts"
import type { AppEnv } from "../../http/app-env.ts"
import { type CsvColumns, csvHeaders, csvInParts, rowsInParts } from "../../http/csv.ts"
import { sessionOf } from "../../http/session-of.ts"
import { getReportFile, openReportFile } from "../../report-files/get-report-file.ts"
import { REPORT_FILE_POLICY } from "../../report-files/policies.ts"
import { contentPath, type FiledReport, reportFileSchema } from "../../report-files/report-file.ts"
import { startReportFile } from "../../report-files/start-report-file.ts"
import { reportTag as tag } from "./report.ts"

const params = z.object({
  file_id: z.string().min(1).max(64).meta({ example: "rpt_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
})

const counted = (rows: number) => rows.toLocaleString("en-US")

/** The answer of a report whose CSV may be too large for one, and its errors. */
export const FILED_ANSWER = {
  description:
    `Only with \`format=csv\`, if the file could have more than ${counted(REPORT_FILE_POLICY.rowsAtOnce)} rows (entries × days): a callback ` +
    "writes it. Read `GET /api/admin/report-files/{file_id}` until it is ready. The same request returns the same file while it is made.",
  schema: reportFileSchema,
}

interface Filed<Item, Row> {
  name: FiledReport
  columns: CsvColumns<Row>
  rowsOf: (item: Item) => Row[]
  /** False: the file has only days with usage. */
  emptyDays: boolean
}

/** Sends a report as a CSV, or starts a file of it if it may have too many rows. */
export async function csvOrFile<Item, Row>(
  c: HonoContext<AppEnv>,
  report: KeyedParts<ListHead, Item>,
  { name, columns, rowsOf, emptyDays }: Filed<Item, Row>,
): Promise<Response> {
  const { head, keys, range } = report
  const rows = head.total * spanOf(range)
  if (rows <= REPORT_FILE_POLICY.rowsAtOnce) return csvInParts(c, name, columns, rowsInParts(report.parts, rowsOf))
  if (rows > REPORT_FILE_POLICY.rows)
    throw invalid(
      `the file could have ${counted(rows)} rows, and has at most ${counted(REPORT_FILE_POLICY.rows)}. Ask for fewer days.`,
      "days",
    )
  const { bom, ...query } = c.req.query()
  const asked = {
    from: range.from.toISOString(),
    to: range.to.toISOString(),
    empty_days: emptyDays,
    bom: bom === "true",
  }
  return answerJson(c, await startReportFile(c.get("ctx"), sessionOf(c), { report: name, asked, keys, query }), 202)
}

export function mountReportFiles(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/report-files/{file_id}",
      id: "getReportFile",
      tag,
      summary: "Read the progress of a report's file",
      description: "Only the operator who asked for the file can read it.",
      params,
      answer: { status: 200, description: "The file.", schema: reportFileSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { file_id } }) => getReportFile(c.get("ctx"), sessionOf(c), file_id),
  )

  app.operation(
    {
      method: "get",
      path: contentPath("{file_id}"),
      id: "getReportFileContent",
      tag,
      summary: "Download a report's file",
      description: "Returns the CSV until it expires. Only the operator who asked for the file can read it.",
      params,
      answer: { status: 200, description: "The CSV, as an attachment.", schema: z.string(), binary: true },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { file_id } }) => {
      const { report, open } = await openReportFile(c.get("ctx"), sessionOf(c), file_id)
      return new Response(c.req.method === "HEAD" ? null : open(), { headers: csvHeaders(report) })
    },
  )
}
