import { TurnpikeError } from "../base/errors.ts"

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000

/** The longest range between two given ends, in days. It is the longest `days` of docs/contract.md. */
export const MOST_DAYS = 3650

/** The time that a report covers, in UTC. `to` is exclusive. */
export interface Range {
  from: Date
  to: Date
}

export type Granularity = "hour" | "day" | "week" | "month"

/** The rows of a series, by the longest range in days that has them. Longer ranges have one row per month. */
export const GRANULARITIES = [
  { upToDays: 92, granularity: "day" },
  { upToDays: 730, granularity: "week" },
] as const

/** All granularities of series by length, the finest first. */
export const GRANULARITIES_BY_LENGTH = ["day", "week", "month"] as const

export const startOfDay = (moment: Date) => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS)
const startOfHour = (moment: Date) => new Date(Math.floor(moment.getTime() / HOUR_MS) * HOUR_MS)
const daysLater = (moment: Date, days: number) => new Date(moment.getTime() + days * DAY_MS)

/** A day as `2026-01-14`, in UTC. */
export const dayText = (moment: Date) => moment.toISOString().slice(0, 10)

/** The last `days` days in UTC, including today. Days are whole, so the range ends tonight. */
export function lastDays(now: Date, days: number): Range {
  const to = daysLater(startOfDay(now), 1)
  return { from: daysLater(to, -days), to }
}

/**
 * The range between two instants (RFC 3339), which take precedence over `days`. Without `start` it begins `days`
 * days before its end. Without `end` it ends tonight. VALIDATION_FAILED if it is empty or longer than `mostDays`.
 */
export function rangeBetween(
  now: Date,
  { days = 1, start, end }: { days?: number; start?: string | undefined; end?: string | undefined },
  mostDays = MOST_DAYS,
): Range {
  const to = end === undefined ? lastDays(now, 1).to : new Date(end)
  const from = start === undefined ? daysLater(to, -days) : new Date(start)
  return checkedRange({ from, to }, ["start", "end"], mostDays)
}

/**
 * The range of the days from `date_from` to `date_to`, both included, which take
 * precedence over `days`. Without `date_from` it has the `days` days up to `date_to`.
 * Without `date_to` it ends with today. VALIDATION_FAILED as in `rangeBetween`.
 */
export function rangeOfDates(
  now: Date,
  { days, date_from, date_to }: { days: number; date_from?: string | undefined; date_to?: string | undefined },
  mostDays = MOST_DAYS,
): Range {
  const to = date_to === undefined ? lastDays(now, 1).to : daysLater(new Date(`${date_to}T00:00:00Z`), 1)
  const from = date_from === undefined ? daysLater(to, -days) : new Date(`${date_from}T00:00:00Z`)
  return checkedRange({ from, to }, ["date_from", "date_to"], mostDays)
}

function checkedRange(range: Range, [first, last]: [string, string], mostDays: number): Range {
  if (!(range.from < range.to)) throw refused(first, `must be before \`${last}\``)
  if (spanOf(range) > mostDays) throw refused(first, `must be at most ${mostDays} days before \`${last}\``)
  return range
}

const refused = (param: string, fault: string) =>
  new TurnpikeError("VALIDATION_FAILED", `${param}: ${fault}`, { param })

/** The length of a range in days, rounded up. */
const spanOf = ({ from, to }: Range) => Math.ceil((to.getTime() - from.getTime()) / DAY_MS)

/** The granularity of a series, by the length of its range. */
export function granularityOf(range: Range): (typeof GRANULARITIES_BY_LENGTH)[number] {
  const days = spanOf(range)
  return GRANULARITIES.find(({ upToDays }) => days <= upToDays)?.granularity ?? "month"
}

/** The beginning of the bucket that contains a moment. Weeks begin on Monday. */
export function bucketStart(moment: Date, granularity: Granularity): Date {
  if (granularity === "hour") return startOfHour(moment)
  const day = startOfDay(moment)
  if (granularity === "week") return daysLater(day, -((day.getUTCDay() + 6) % 7))
  return granularity === "day" ? day : new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1))
}

/** The beginning of the next bucket. */
export function nextBucket(start: Date, granularity: Granularity): Date {
  if (granularity === "hour") return new Date(start.getTime() + HOUR_MS)
  if (granularity === "month") return new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1))
  return daysLater(start, granularity === "week" ? 7 : 1)
}

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
export interface DaysAsked {
  days: number
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
