import * as z from "zod"
import type { ListPage } from "../../base/in-parts.ts"
import { LIST_POLICY } from "../../base/policies.ts"
import { MOST_DAYS_OF_SERIES, PERIODS } from "../../base/report-range.ts"
import { CSV_ANSWER, csvQuery } from "../../http/csv.ts"
import { brandParam, cutListQuery, daysQuery, instantOrDayParam, wholeParam } from "../../http/query.ts"

export const reportTag = "admin"

/** The answer of a report: JSON, or its rows as a CSV file. */
export const reportAnswer = <Schema extends z.ZodType>(description: string, schema: Schema) =>
  ({ status: 200, description, schema, also: CSV_ANSWER }) as const

/** The number of rows of a top list. */
export const topQuery = (most: number, usual: number) =>
  wholeParam(1, most).default(usual).meta({ description: "The number of rows. `other` contains the sum of the rest." })

/** The start and end of a range as instants. They take precedence over `days`. */
export const spanQuery = {
  start: instantOrDayParam.optional().meta({
    description:
      "The start of the range, instead of `days`: an instant, or a date, which means 00:00 UTC. In a report by day or hour, it is the start " +
      `of a day, and the range has at most ${MOST_DAYS_OF_SERIES} days.`,
    example: "2026-01-01T00:00:00Z",
  }),
  end: instantOrDayParam.optional().meta({
    description: "The end of the range, exclusive. Default: the end of today (24:00 UTC).",
    example: "2026-02-01T00:00:00Z",
  }),
}

/** The range of a report, and its form: JSON or CSV. Every report with a range has these parameters. */
export const rangeQuery = (mostDays: number, usualDays?: number) => ({
  ...daysQuery(mostDays, usualDays),
  ...spanQuery,
  period: z.enum(PERIODS).optional().meta({
    description:
      "The range by name (UTC), instead of `days`, `start` and `end`. Weeks begin on Monday. A period that has not ended is cut at the end of today.",
  }),
  ...csvQuery,
})

/** The accounts that a report counts. */
export const brandQuery = {
  brand: brandParam.meta({
    description:
      "Only accounts that were created under this brand, or `all`. An account stays in the reports of its first brand if its brand is changed " +
      "later. An unknown brand is rejected.",
    example: "all",
  }),
}

/** The parameters of a report on all accounts. */
export const reportQuery = (mostDays: number, usualDays?: number) => ({
  ...rangeQuery(mostDays, usualDays),
  ...brandQuery,
})

/** Pagination of the series. It applies only to reports with series. */
export const seriesPageQuery = {
  limit: cutListQuery.limit.meta({
    description: `Only with \`group_by=slug\`. ${cutListQuery.limit.meta()?.description}`,
  }),
  offset: cutListQuery.offset.meta({
    description: "Only with `group_by=slug`: the number of series to skip.",
  }),
}

/** A CSV file contains all rows and ignores the requested page. */
export const pageOfAnswer = (format: "json" | "csv", { limit, offset }: ListPage): ListPage =>
  format === "csv" ? { limit: LIST_POLICY.file, offset: 0 } : { limit, offset }

/** Headers of a report whose body contains only rows. */
export const REPORT_HEADERS = {
  "X-Report-From": "Only without `group_by`: the start of the range (UTC).",
  "X-Report-To": "Only without `group_by`: the end of the range, exclusive.",
  "X-Report-As-Of": "Only without `group_by`: the time at which the report was exact.",
}

export const headersOf = ({ from, to, as_of }: { from: string; to: string; as_of: string }) => ({
  "X-Report-From": from,
  "X-Report-To": to,
  "X-Report-As-Of": as_of,
})
