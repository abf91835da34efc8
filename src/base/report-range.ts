import { TurnpikeError } from "./errors.ts"
import { DAY_MS } from "./time.ts"

/** The longest range between two given ends, in days. It is the longest `days` of docs/contract.md. */
export const MOST_DAYS = 3650

/** The longest range of a report by day or hour, in days, if `start`, `end` or `period` name it. Every year fits. */
export const MOST_DAYS_OF_SERIES = 366

/** The time that a report covers, in UTC. `to` is exclusive. */
export interface Range {
  from: Date
  to: Date
}

export const PERIODS = [
  "today",
  "yesterday",
  "this_week",
  "last_week",
  "this_month",
  "last_month",
  "this_year",
  "last_year",
] as const

/** The range that a request asks for. `start`, `end` and `period` take precedence over `days`. */
export interface RangeAsked {
  days?: number
  start?: string | undefined
  end?: string | undefined
  period?: (typeof PERIODS)[number] | undefined
}

export interface DatesAsked extends RangeAsked {
  date_from?: string | undefined
  date_to?: string | undefined
}

const startOfDay = (moment: Date) => new Date(Math.floor(moment.getTime() / DAY_MS) * DAY_MS)

const daysLater = (moment: Date, days: number) => new Date(moment.getTime() + days * DAY_MS)

/** The beginning of the day, week, month or year of a moment, or of the one that is `later` by a number. */
export function startOfUnit(unit: "day" | "week" | "month" | "year", moment: Date, later = 0): Date {
  const day = startOfDay(moment)
  const [year, month] = [day.getUTCFullYear(), day.getUTCMonth()]
  if (unit === "year") return new Date(Date.UTC(year + later, 0, 1))
  if (unit === "month") return new Date(Date.UTC(year, month + later, 1))
  return daysLater(day, unit === "week" ? later * 7 - ((day.getUTCDay() + 6) % 7) : later)
}

const RANGES: Record<(typeof PERIODS)[number], (now: Date) => Range> = {
  today: (now) => soFar("day", now),
  yesterday: (now) => last("day", now),
  this_week: (now) => soFar("week", now),
  last_week: (now) => last("week", now),
  this_month: (now) => soFar("month", now),
  last_month: (now) => last("month", now),
  this_year: (now) => soFar("year", now),
  last_year: (now) => last("year", now),
}

type Unit = Parameters<typeof startOfUnit>[0]

/** A period that has not ended, up to tonight. */
const soFar = (unit: Unit, now: Date): Range => ({ from: startOfUnit(unit, now), to: startOfUnit("day", now, 1) })
const last = (unit: Unit, now: Date): Range => ({ from: startOfUnit(unit, now, -1), to: startOfUnit(unit, now) })

/**
 * The range that a request asks for. Without `start` it begins `days` days before its end. Without `end` it ends
 * tonight. VALIDATION_FAILED if it is empty or longer than `mostDays`, or if a period and an end are given.
 */
export function rangeBetween(now: Date, { days = 1, start, end, period }: RangeAsked, mostDays = MOST_DAYS): Range {
  if (period !== undefined) {
    if (start !== undefined || end !== undefined) throw refused("period", "cannot be combined with `start` and `end`")
    return RANGES[period](now)
  }
  const to = end === undefined ? startOfUnit("day", now, 1) : new Date(end)
  const from = start === undefined ? daysLater(to, -days) : new Date(start)
  return checkedRange({ from, to }, ["start", "end"], mostDays)
}

/** Like `rangeBetween`, for a report by day or hour: `start` and `end` are the starts of days (UTC). */
export function daysBetween(now: Date, asked: RangeAsked, mostDays = MOST_DAYS_OF_SERIES): Range {
  for (const name of ["start", "end"] as const) {
    const at = asked[name]
    if (at !== undefined && startOfDay(new Date(at)).getTime() !== Date.parse(at))
      throw refused(name, "must be the start of a day (UTC), such as 2026-01-31")
  }
  return rangeBetween(now, asked, mostDays)
}

/**
 * Like `daysBetween`, or the days from `date_from` to `date_to`, both included. Without `date_from` it has the `days`
 * days up to `date_to`. Without `date_to` it ends with today.
 */
export function rangeOfDates(now: Date, { date_from, date_to, ...asked }: DatesAsked): Range {
  if (date_from === undefined && date_to === undefined) return daysBetween(now, asked, MOST_DAYS)
  const { days = 1, start, end, period } = asked
  if (start !== undefined || end !== undefined || period !== undefined)
    throw refused(
      date_from === undefined ? "date_to" : "date_from",
      "cannot be combined with `start`, `end` and `period`",
    )
  const to = date_to === undefined ? startOfUnit("day", now, 1) : daysLater(new Date(`${date_to}T00:00:00Z`), 1)
  const from = date_from === undefined ? daysLater(to, -days) : new Date(`${date_from}T00:00:00Z`)
  return checkedRange({ from, to }, ["date_from", "date_to"], MOST_DAYS)
}

function checkedRange(range: Range, [first, last]: [string, string], mostDays: number): Range {
  if (!(range.from < range.to)) throw refused(first, `must be before \`${last}\``)
  if (spanOf(range) > mostDays) throw refused(first, `must be at most ${mostDays} days before \`${last}\``)
  return range
}

const refused = (param: string, fault: string) =>
  new TurnpikeError("VALIDATION_FAILED", `${param}: ${fault}`, { param })

/** The length of a range in days, rounded up. */
export const spanOf = ({ from, to }: Range) => Math.ceil((to.getTime() - from.getTime()) / DAY_MS)
