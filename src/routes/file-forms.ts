import type { ReadRows } from "../actor/call-as.ts"
import { datesOf } from "../analytics/range.ts"
import { spacesOfPart } from "../analytics/ranked-spaces.ts"
import { readContextSizes } from "../analytics/report-context-size.ts"
import { readSlugSeries } from "../analytics/report-slug-usage.ts"
import { readInParts } from "../base/in-parts.ts"
import { type CsvColumns, csvHeader, csvLineOf } from "../http/csv.ts"
import type { FileForm, FileForms } from "../report-files/report-file.ts"
import { readSubscriptionDays } from "../subscriptions/report-subscriptions.ts"
import * as columns from "./admin/analytics-columns.ts"
import { SUBSCRIPTION_USAGE, usedDays } from "./admin/subscription-columns.ts"

type Days = Parameters<FileForm["lines"]>[1]

/** A form that reads at most `LIST_POLICY.partRows` rows per statement. */
const formOf = <Row>(
  of: CsvColumns<Row>,
  read: (read: ReadRows, days: Days & { dates: string[] }, keys: string[]) => Promise<Row[]>,
): FileForm => ({
  header: csvHeader(of),
  async *lines(reader, days, keys) {
    const dates = datesOf(days.range)
    const lineOf = csvLineOf(of)
    const parts = readInParts(keys, spacesOfPart(dates.length), (part) => read(reader, { ...days, dates }, part))
    for await (const rows of parts) yield rows.map(lineOf)
  },
})

/** How the callback writes each report. */
export const FILE_FORMS: FileForms = {
  "usage-by-slug": formOf(columns.SLUG_USAGE, async (read, days, keys) =>
    (await readSlugSeries(read, days, keys.map(Number))).flatMap(columns.slugRows),
  ),
  "context-size": formOf(columns.CONTEXT_SIZE, async (read, days, keys) =>
    (await readContextSizes(read, days, keys.map(Number))).flatMap(columns.sizeRows),
  ),
  "subscription-usage": formOf(SUBSCRIPTION_USAGE, async (read, { range }, keys) =>
    (await readSubscriptionDays(read, range, keys)).flatMap(usedDays),
  ),
}
