import { type Range, spanOf, startOfUnit } from "../base/report-range.ts"
import type { ReportAsked } from "./brand.ts"

const HOUR_MS = 3_600_000

export type Granularity = "hour" | "day" | "week" | "month"

/** The rows of a series, by the longest range in days that has them. Longer ranges have one row per month. */
export const GRANULARITIES = [
  { upToDays: 92, granularity: "day" },
  { upToDays: 730, granularity: "week" },
] as const

/** All granularities of series by length, the finest first. */
export const GRANULARITIES_BY_LENGTH = ["day", "week", "month"] as const

const startOfHour = (moment: Date) => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS)

/** A day as `2026-01-14`, in UTC. */
export const dayText = (moment: Date) => moment.toISOString().slice(0, 10)

/** The granularity of a series, by the length of its range. */
export function granularityOf(range: Range): (typeof GRANULARITIES_BY_LENGTH)[number] {
  const days = spanOf(range)
  return GRANULARITIES.find(({ upToDays }) => days <= upToDays)?.granularity ?? "month"
}

/** The beginning of the bucket that contains a moment. Weeks begin on Monday. */
export const bucketStart = (moment: Date, granularity: Granularity): Date =>
  granularity === "hour" ? startOfHour(moment) : startOfUnit(granularity, moment)

/** The beginning of the next bucket. */
export const nextBucket = (start: Date, granularity: Granularity): Date =>
  granularity === "hour" ? new Date(start.getTime() + HOUR_MS) : startOfUnit(granularity, start, 1)

/**
 * The beginnings of all buckets that a range touches, in order. The
 * first may begin before the range, and the last may end after it.
 */
export function bucketsOf({ from, to }: Range, granularity: Granularity): Date[] {
  const starts: Date[] = []
  for (let start = bucketStart(from, granularity); start < to; start = nextBucket(start, granularity))
    starts.push(start)
  return starts
}

/** The days that a range touches, as texts. */
export const datesOf = (range: Range) => bucketsOf(range, "day").map(dayText)

/** The days of a report with a series for each entry. Without `empty_days`, a series has only days with usage. */
export interface DaysAsked extends ReportAsked {
  empty_days: boolean
}

/** The series to read, with the days of their range. */
export interface SeriesOf {
  range: Range
  dates: string[]
  empty_days: boolean
}

/** The days of a series: all days of its range, or only those that its rows have. */
export const datesOfSeries = (dates: string[], rows: { day: string }[], emptyDays: boolean) =>
  emptyDays ? dates : [...new Set(rows.map(({ day }) => day))].sort()

/** The hours that a range touches, as RFC 3339 in UTC. */
export const hoursOf = (range: Range) => bucketsOf(range, "hour").map((hour) => hour.toISOString())

/** Returns one row for each key, in their order: the existing row, or an empty one. */
export function filled<Row>(
  keys: readonly string[],
  rows: readonly Row[],
  keyOf: (row: Row) => string,
  emptyOf: (key: string) => Row,
): Row[] {
  const byKey = new Map(rows.map((row) => [keyOf(row), row]))
  return keys.map((key) => byKey.get(key) ?? emptyOf(key))
}
