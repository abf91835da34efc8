import { type DailySpend, weekdayOf } from "./pace.ts"
import { UNUSUAL_POLICY } from "./policies.ts"

/**
 * The usual spend of a day, from the days before it: the median of the same days of the week on which something was
 * spent, or of all such days if those are too few. Null: too few days, so there is no pattern.
 */
export function usualSpend({ first, amounts }: DailySpend, day: number): number | null {
  const spent = amounts.flatMap((amount, index) => (amount > 0 ? { amount, weekday: weekdayOf(first + index) } : []))
  if (spent.length < UNUSUAL_POLICY.leastDays) return null
  const all = medianOf(spent.map(({ amount }) => amount))
  const same = spent.filter(({ weekday }) => weekday === weekdayOf(day))
  return same.length < UNUSUAL_POLICY.leastWeekdays ? all : medianOf(same.map(({ amount }) => amount))
}

/** The amount above which the spend of a day is far above its usual one. */
export const unusualAbove = (usual: number): number => usual * UNUSUAL_POLICY.times + UNUSUAL_POLICY.floor

/** The usual spend of a day if `spent` is far above it. Null: it is not, or there is no pattern. */
export function usualIfExceeded(spent: number, before: DailySpend, day: number): number | null {
  const usual = usualSpend(before, day)
  return usual !== null && spent > unusualAbove(usual) ? usual : null
}

function medianOf(amounts: number[]): number {
  const sorted = amounts.sort((a, b) => a - b)
  const [low = 0, high = 0] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]]
  return Math.round((low + high) / 2)
}
