const DAY = 86_400_000

/** The UTC date of an instant: `2026-11-20`. */
export const utcDay = (at: number | string | Date) => new Date(at).toISOString().slice(0, 10)

/** Midnight (UTC) of today, or of a day before it, as an instant. It stays the same all day, as part of a query key. */
export const startOfDay = (daysAgo = 0, now = Date.now()) => `${utcDay(now - daysAgo * DAY)}T00:00:00.000Z`

/** The UTC date of an instant, or of one millisecond before it: the last day of a range that ends there. */
export const dayOfInstant = (instant: string, ms = 0) => utcDay(Date.parse(instant) + ms)

/** When the highest day of an anomaly was: its only day, or one of its days. `to`: the end of the last day. */
export function onDayWithin(from: string, to: string): string {
  const [first, last] = [utcDay(from), dayOfInstant(to, -1)]
  return first === last ? `on ${first}` : `on a day from ${first} to ${last}`
}

/** The start of a UTC date as an instant, and that of the next one. */
export const startOfDate = (date: string) => `${date}T00:00:00.000Z`
export const nextDay = (date: string) => startOfDate(utcDay(Date.parse(date) + DAY))

/** A moment in UTC as a `datetime-local` field holds it, and back. */
export const fieldOfInstant = (instant: string) => new Date(instant).toISOString().slice(0, 16)
export const instantOfField = (text: string) => new Date(`${text}Z`).toISOString()

/** True if a label of an axis is the current day or hour (UTC), which is not over yet. */
export const isUnfinished = (label: string, now = Date.now()) =>
  label === utcDay(now) || label === new Date(now).toISOString().slice(5, 13).replace("T", " ").concat(":00")

/** The first UTC date of a period of `days` days that ends today. */
export const firstOfDays = (days: number) => utcDay(Date.now() - (days - 1) * DAY)

/** Every UTC date from `from` until before `to`, at most 400 and none in the future. Charts draw gaps as 0. */
export function everyDay(from: string, to: string): string[] {
  const first = Date.parse(utcDay(from))
  const count = Math.min(400, Math.ceil((Math.min(Date.parse(to), Date.now()) - first) / DAY))
  return Array.from({ length: Math.max(1, count) }, (_, day) => utcDay(first + day * DAY))
}

/** A number of days until now in words. */
export const wordsOfDays = (days: number) => (days === 1 ? "Last day" : `Last ${days} days`)
