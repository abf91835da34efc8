import type * as z from "zod"
import { CSV_ANSWER, csvQuery } from "../../http/csv.ts"
import { daysQuery, instantOrDayParam, wholeParam } from "../../http/query.ts"

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
