import * as z from "zod"
import type { ReadRows } from "../actor/call-as.ts"
import type { Range } from "../base/report-range.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"

/** The reports whose CSV may be too large for an answer. */
export const FILED_REPORTS = ["usage-by-slug", "context-size", "subscription-usage"] as const
export type FiledReport = (typeof FILED_REPORTS)[number]

/** The days that a file has. The entries are in its row. */
export interface FileAsked {
  from: string
  to: string
  empty_days: boolean
  /** Begins with a byte order mark. */
  bom: boolean
}

/** How the rows of a report become lines of a file. */
export interface FileForm {
  /** The first line. */
  header: string
  /** Reads entries, a bounded number of rows per statement. */
  lines(read: ReadRows, days: { range: Range; empty_days: boolean }, keys: string[]): AsyncGenerator<string[]>
}

export type FileForms = Readonly<Record<FiledReport, FileForm>>

export const contentPath = (fileId: string) => `/api/admin/report-files/${fileId}/content`

export const reportFileSchema = z
  .object({
    file_id: z.string().meta({ example: "rpt_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    report: z.enum(FILED_REPORTS).meta({ description: "The report, as in the file's name.", example: "usage-by-slug" }),
    state: z.enum(["making", "ready", "failed"]).meta({
      description: "`making`: a callback writes the file. `failed`: it has no content. Ask for the report again.",
      example: "making",
    }),
    progress: z.number().min(0).max(1).meta({
      description: "The share of the report's entries that are written, from 0 to 1.",
      example: 0.42,
    }),
    rows: z.int().meta({ description: "The rows that are written, without the header.", example: 1_533_000 }),
    bytes: z.int().meta({ description: "The bytes that are written.", example: 87_381_000 }),
    url: z.string().nullable().meta({
      description: "The path of the file, for the same operator. Null while it is made, or if it failed.",
      example: null,
    }),
    created_at: z.iso.datetime().meta({ example: "2026-01-14T16:05:12.000Z" }),
    expires_at: z.iso.datetime().nullable().meta({
      description: "When the file is removed. Null while it is made.",
      example: null,
    }),
  })
  .meta({ id: "ReportFile" })

export type ReportFile = z.infer<typeof reportFileSchema>

export type ShownFile = Pick<
  JsonRow<"report_files">,
  "file_id" | "report" | "state" | "written" | "total" | "rows" | "bytes" | "created_at" | "expires_at"
>

export const serializeReportFile = ({ written, total, ...row }: ShownFile): ReportFile => ({
  file_id: row.file_id,
  report: row.report as FiledReport,
  state: row.state as ReportFile["state"],
  progress: row.state === "ready" ? 1 : total === 0 ? 0 : Math.floor((written / total) * 1000) / 1000,
  rows: row.rows,
  bytes: row.bytes,
  url: row.state === "ready" ? contentPath(row.file_id) : null,
  created_at: toInstant(row.created_at),
  expires_at: toInstant(row.expires_at),
})
