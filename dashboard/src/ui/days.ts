const DAY = 86_400_000

/** The UTC day of a moment: `2026-11-20`. */
export const utcDay = (at: number | string | Date) => new Date(at).toISOString().slice(0, 10)

/** The first of so many days that end with today, in UTC. */
export const firstOfDays = (days: number) => utcDay(Date.now() - (days - 1) * DAY)

/** Every UTC day from one moment to before another: what has no figures is drawn as 0. At most 400. */
export function everyDay(from: string, to: string): string[] {
  const first = Date.parse(utcDay(from))
  const count = Math.min(400, Math.ceil((Math.min(Date.parse(to), Date.now()) - first) / DAY))
  return Array.from({ length: Math.max(1, count) }, (_, day) => utcDay(first + day * DAY))
}
