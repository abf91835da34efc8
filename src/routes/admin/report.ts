import type * as z from "zod"
import type { ListPage } from "../../base/in-parts.ts"
import { LIST_POLICY } from "../../base/policies.ts"
import { CSV_ANSWER, csvQuery } from "../../http/csv.ts"
import { daysQuery, instantOrDayParam, wholeListQuery, wholeParam } from "../../http/query.ts"

export const reportTag = "admin"

/** The answer of a report: JSON, or its rows as CSV. */
export const reportAnswer = <Schema extends z.ZodType>(description: string, schema: Schema) =>
  ({ status: 200, description, schema, also: CSV_ANSWER }) as const

/** The query of a report over the last days; every report comes as CSV too. */
export const reportQuery = (mostDays: number, usualDays?: number) => ({
  ...daysQuery(mostDays, usualDays),
  ...csvQuery,
})

/** How many rows a list of the first ones has. */
export const topQuery = (most: number, usual: number) =>
  wholeParam(1, most).default(usual).meta({ description: "How many are listed; `other` has the rest." })

/** Both ends of a range as instants, which take precedence over `days`. */
export const spanQuery = {
  start: instantOrDayParam.optional().meta({
    description: "Where the range begins, instead of `days`: an instant, or a day, which begins at 00:00 UTC.",
    example: "2026-01-01T00:00:00Z",
  }),
  end: instantOrDayParam.optional().meta({
    description: "Where it ends, exclusive. Default: tonight at 24:00 UTC.",
    example: "2026-02-01T00:00:00Z",
  }),
}

/** Pages of series, which a report without them does not have. */
export const seriesPageQuery = {
  limit: wholeListQuery.limit.meta({
    description: `With \`group_by=slug\`: how many series. Without it: all of them, up to ${LIST_POLICY.page}.`,
  }),
  offset: wholeListQuery.offset.meta({ description: "With `group_by=slug`: how many series to skip." }),
}

/** A file has everything, whatever page is asked for. */
export const pageOfAnswer = (format: "json" | "csv", { limit, offset }: ListPage): ListPage =>
  format === "csv" ? { limit: LIST_POLICY.file, offset: 0 } : { limit, offset }

/** What a report whose answer is only its rows says of itself. */
export const REPORT_HEADERS = {
  "X-Report-From": "Without `group_by`: where the range begins (UTC).",
  "X-Report-To": "Without `group_by`: where it ends, exclusive.",
  "X-Report-As-Of": "Without `group_by`: when the report was made, at which moment it is exact.",
}

export const headersOf = ({ from, to, as_of }: { from: string; to: string; as_of: string }) => ({
  "X-Report-From": from,
  "X-Report-To": to,
  "X-Report-As-Of": as_of,
})
