import type { UsageReport } from "../api/operations.ts"
import { firstOfMonth } from "../ui/time-range.ts"

const HOUR_MS = 3_600_000

/** The dates that the user has chosen. Undefined: open. */
export interface Chosen {
  from?: string | undefined
  to?: string | undefined
}

/**
 * The period before a report: the month before a month, else one of equal length. If the report's period is not over,
 * the one before ends at the same hour, so that both are equally long.
 */
export function periodBefore({ from, to }: Pick<UsageReport, "from" | "to">, chosen: Chosen, now: number) {
  const begin = Date.parse(from)
  const next = firstOfMonth(begin, -1)
  const isMonth =
    chosen.from === firstOfMonth(begin) && (chosen.to ? chosen.to === next : Date.parse(to) <= Date.parse(next))
  const end = Date.parse(isMonth ? next : to)
  const distance = isMonth ? begin - Date.parse(firstOfMonth(begin, 1)) : end - begin
  const elapsed = Math.min(end - begin, distance, Math.ceil(now / HOUR_MS) * HOUR_MS - begin)
  // All of a month that is over is compared with all of the month before.
  const length = isMonth && end <= now ? distance : elapsed
  return {
    distance,
    isOver: elapsed > 0,
    range: { from: new Date(begin - distance).toISOString(), to: new Date(begin - distance + length).toISOString() },
  }
}
