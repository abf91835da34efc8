import { startOfUnit } from "../base/report-range.ts"
import { DAY_MS } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"
import { dayNumber, expectedUntil, type Outlook, paceOf } from "./pace.ts"
import { PACE_POLICY } from "./policies.ts"

/** A day since 1970 as `2026-11-20`. */
export const dateOfDay = (day: number) => new Date(day * DAY_MS).toISOString().slice(0, 10)

/** The first day whose spend an outlook needs, in days since 1970. */
export const firstDayOf = (now: Date): number =>
  Math.min(dayNumber(startOfUnit("month", now)), dayNumber(now) - PACE_POLICY.days)

export interface MonthOutlook {
  /** The spend of this month so far. */
  spent: number
  /** Null: too few days. */
  outlook: Outlook | null
}

/** The spend of this month so far and the outlook for its rest, from the spend of each day. */
export function monthOutlook(
  rows: readonly Answers["spent_day"][],
  { now, dailyCap }: { now: Date; dailyCap: number | null },
): MonthOutlook {
  const today = dayNumber(now)
  const first = firstDayOf(now)
  const days = new Map(rows.map(({ day, amount }) => [dayNumber(new Date(day)), amount]))
  const spentOn = (day: number) => days.get(day) ?? 0
  const amounts = Array.from({ length: today - first }, (_, index) => spentOn(first + index))
  let spent = 0
  for (let day = dayNumber(startOfUnit("month", now)); day <= today; day++) spent += spentOn(day)
  const pace = paceOf({ first: today - PACE_POLICY.days, amounts: amounts.slice(-PACE_POLICY.days) })
  const elapsed = now.getTime() / DAY_MS - today
  return { spent, outlook: pace && { pace, today, elapsed, spentToday: spentOn(today), dailyCap } }
}

/** The expected spend of the whole month. Null without a pace. */
export const expectedOfMonth = ({ spent, outlook }: MonthOutlook, now: Date): number | null =>
  outlook && spent + expectedUntil(dayNumber(startOfUnit("month", now, 1)), outlook)
