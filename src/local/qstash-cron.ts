const FIELDS = [
  { name: "minute", min: 0, max: 59 },
  { name: "hour", min: 0, max: 23 },
  { name: "day of month", min: 1, max: 31 },
  { name: "month", min: 1, max: 12 },
  { name: "day of week", min: 0, max: 7 },
] as const

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Long enough for a 29 February; a day that never comes (30 February) ends here. */
const HORIZON_DAYS = 366 * 9

export interface Cron {
  /** The first firing strictly after `afterMs`; undefined when there is none. */
  next(afterMs: number): number | undefined
}

/** Five fields in UTC: stars, values, lists, ranges and steps. Throws on anything else. */
export function parseCron(expression: string): Cron {
  const parts = expression
    .replace(/^(CRON_TZ|TZ)=(UTC|Etc\/UTC)\s+/, "")
    .trim()
    .split(/\s+/)
  if (parts.length !== FIELDS.length) throw new SyntaxError("a cron expression has five fields")
  const [minutes, hours, days, months, weekdays] = FIELDS.map((field, i) => parseField(parts[i] ?? "", field)) as [
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
    Set<number>,
  ]
  if (weekdays.has(7)) weekdays.add(0)
  const anyDay = parts[2]?.startsWith("*")
  const anyWeekday = parts[4]?.startsWith("*")

  const matchesDay = (date: Date): boolean => {
    if (!months.has(date.getUTCMonth() + 1)) return false
    const byDay = days.has(date.getUTCDate())
    const byWeekday = weekdays.has(date.getUTCDay())
    // Two restricted day fields are alternatives; otherwise both must hold (crontab(5)).
    return anyDay || anyWeekday ? byDay && byWeekday : byDay || byWeekday
  }

  return {
    next(afterMs) {
      const start = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS
      const firstDay = Math.floor(start / DAY_MS) * DAY_MS
      for (let day = firstDay; day < firstDay + HORIZON_DAYS * DAY_MS; day += DAY_MS) {
        if (!matchesDay(new Date(day))) continue
        for (let hour = 0; hour < 24; hour++) {
          if (!hours.has(hour) || day + (hour + 1) * HOUR_MS <= start) continue
          for (let minute = 0; minute < 60; minute++) {
            const time = day + hour * HOUR_MS + minute * MINUTE_MS
            if (time >= start && minutes.has(minute)) return time
          }
        }
      }
      return undefined
    },
  }
}

function parseField(text: string, field: (typeof FIELDS)[number]): Set<number> {
  const values = new Set<number>()
  for (const item of text.split(",")) {
    const match = /^(?:(\*)|(\d+)(?:-(\d+))?)(?:\/(\d+))?$/.exec(item)
    if (!match) throw new SyntaxError(`bad ${field.name} "${text}"`)
    const [, star, low, high, step] = match
    const from = star ? field.min : Number(low)
    const to = star ? field.max : high !== undefined ? Number(high) : step !== undefined ? field.max : from
    const by = step === undefined ? 1 : Number(step)
    if (from < field.min || to > field.max || from > to || by < 1) throw new SyntaxError(`bad ${field.name} "${text}"`)
    for (let value = from; value <= to; value += by) values.add(value)
  }
  return values
}
