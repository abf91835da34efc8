import { nextDay, startOfDate, startOfDay, utcDay } from "./days.ts"

/** Ranges that move with time, so that a link or a saved view shows the newest entries. */
export const RANGES = ["1h", "24h", "today", "7d", "30d", "this_month", "last_month"] as const
export type RangeName = (typeof RANGES)[number]

export const RANGE_WORDS: Record<RangeName, string> = {
  "1h": "Last hour",
  "24h": "Last 24 hours",
  today: "Today",
  "7d": "Last 7 days",
  "30d": "Last 30 days",
  this_month: "This month",
  last_month: "Last month",
}

/** The range of a list in the URL: by name, or its ends. */
export interface CreatedSearch {
  range?: RangeName | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

interface Ends {
  created_after?: string
  created_before?: string
}

const HOUR = 3_600_000
const MINUTE = 60_000

/** The start of hours until now, to the minute: as part of a query it must not change at each rendering. */
const hoursAgo = (hours: number, now: number) =>
  new Date(Math.floor((now - hours * HOUR) / MINUTE) * MINUTE).toISOString()

/** The first day (UTC) of a month, or of one before it. A negative number names one after it. */
export function firstOfMonth(now: number, before = 0): string {
  const at = new Date(now)
  return startOfDate(utcDay(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() - before)))
}

/** The ends of a range by name. Days and months are those of UTC. An open end has no time. */
export function endsOf(range: RangeName, now = Date.now()): Ends {
  switch (range) {
    case "1h":
      return { created_after: hoursAgo(1, now) }
    case "24h":
      return { created_after: hoursAgo(24, now) }
    case "today":
      return { created_after: startOfDay(0, now) }
    case "7d":
      return { created_after: startOfDay(6, now) }
    case "30d":
      return { created_after: startOfDay(29, now) }
    case "this_month":
      return { created_after: firstOfMonth(now) }
    case "last_month":
      return { created_after: firstOfMonth(now, 1), created_before: firstOfMonth(now) }
  }
}

/** The range of a list as parameters of the API. */
export const createdIn = ({ range, created_after, created_before }: CreatedSearch) =>
  range ? endsOf(range) : { created_after, created_before }

const MIDNIGHT = "T00:00:00.000Z"
const daysOf = (from: string, to: string) =>
  nextDay(from) === to ? utcDay(from) : `${utcDay(from)} to ${dayBefore(to)}`
const dayBefore = (instant: string) => utcDay(Date.parse(instant) - 1)
const minutes = (instant: string) => instant.slice(0, 16).replace("T", " ")

/** Two ends in words, in UTC: whole days as dates, other ends to the minute. */
export function wordsOfEnds(from: string | undefined, to: string | undefined): string {
  const isWhole = [from, to].every((end) => end === undefined || end.endsWith(MIDNIGHT))
  if (from && to) return isWhole ? daysOf(from, to) : `${minutes(from)} to ${minutes(to)}`
  if (from) return `From ${isWhole ? utcDay(from) : minutes(from)}`
  return to ? `Until ${isWhole ? dayBefore(to) : minutes(to)}` : "Any time"
}
