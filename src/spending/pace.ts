import { DAY_MS } from "../base/time.ts"
import { PACE_POLICY } from "./policies.ts"

const WEEK = 7

/** The spend of consecutive days, in credit micros. `first` is the first of them, in days since 1970 (UTC). */
export interface DailySpend {
  first: number
  amounts: readonly number[]
}

/** The expected spend of a day by its weekday, Monday first, in credit micros. */
export interface Pace {
  method: "weekdays" | "average"
  /** The days that it was computed from. */
  days: number
  weekdays: number[]
}

/** The number of a day since 1970 (UTC). */
export const dayNumber = (at: Date): number => Math.floor(at.getTime() / DAY_MS)

/** 0 is Monday. 1970 began on a Thursday. */
export const weekdayOf = (day: number): number => (day + 3) % WEEK

/**
 * The pace of the days before today, from the first day with a charge on. Recent days count more, and a single very
 * high day counts only as a part of itself. Null: too few days.
 */
export function paceOf(spend: DailySpend): Pace | null {
  const { first, amounts } = sinceFirstCharge(spend)
  if (amounts.length < PACE_POLICY.leastDays) return null
  const clipped = clip(amounts)
  const method = amounts.length < PACE_POLICY.weekdayDays ? "average" : "weekdays"
  const shares = method === "average" ? new Array<number>(WEEK).fill(1) : weekdayShares({ first, amounts: clipped })
  let spent = 0
  let expected = 0
  for (const [index, amount] of clipped.entries()) {
    const weight = 2 ** -((amounts.length - 1 - index) / PACE_POLICY.halfLifeDays)
    spent += weight * amount
    expected += weight * (shares[weekdayOf(first + index)] ?? 1)
  }
  const level = spent / expected
  return { method, days: amounts.length, weekdays: shares.map((share) => Math.round(level * share)) }
}

/**
 * The part of each weekday in the spend, where 1 is an average day. A weekday counts as one more average day, so that
 * few days do not decide alone.
 */
export function weekdayShares({ first, amounts }: DailySpend): number[] {
  const sums = new Array<number>(WEEK).fill(0)
  const days = new Array<number>(WEEK).fill(0)
  for (const [index, amount] of amounts.entries()) {
    const weekday = weekdayOf(first + index)
    sums[weekday] = (sums[weekday] ?? 0) + amount
    days[weekday] = (days[weekday] ?? 0) + 1
  }
  const average = sums.reduce((sum, amount) => sum + amount, 0) / amounts.length
  if (!(average > 0)) return new Array<number>(WEEK).fill(1)
  const shares = sums.map((sum, weekday) => (sum / average + 1) / ((days[weekday] ?? 0) + 1))
  const mean = shares.reduce((sum, share) => sum + share, 0) / WEEK
  return shares.map((share) => share / mean)
}

export interface Outlook {
  pace: Pace
  /** Today, in days since 1970, and the part of it that is over. */
  today: number
  elapsed: number
  spentToday: number
  /** The most that the account's plan lets it spend on a day. */
  dailyCap: number | null
}

/** The expected spend of a day that has not ended. Today, it is the rest of the day. */
function expectedOn(day: number, { pace, today, elapsed, spentToday, dailyCap }: Outlook): number {
  const amount = pace.weekdays[weekdayOf(day)] ?? 0
  if (day > today) return Math.min(amount, dailyCap ?? amount)
  const rest = Math.round(amount * (1 - elapsed))
  return Math.max(0, Math.min(rest, (dailyCap ?? Number.POSITIVE_INFINITY) - spentToday))
}

/** The expected spend from now until the start of the day `until`. */
export function expectedUntil(until: number, outlook: Outlook): number {
  let sum = 0
  for (let day = outlook.today; day < until; day++) sum += expectedOn(day, outlook)
  return sum
}

/** Credit that a plan adds on a day. */
export interface PlannedCredit {
  day: number
  amount: number
}

/**
 * The day on which the balance is expected to be used up. Null: it lasts longer than `longestDays`, or nothing is
 * spent. Credit counts from the start of its day.
 */
export function lastsUntil(balance: number, credits: readonly PlannedCredit[], outlook: Outlook): number | null {
  let left = balance
  for (let day = outlook.today; day <= outlook.today + PACE_POLICY.longestDays; day++) {
    for (const credit of credits) if (credit.day === day) left += credit.amount
    const expected = expectedOn(day, outlook)
    left -= expected
    if (left < 0 || (left === 0 && day > outlook.today && expected > 0)) return day
  }
  return null
}

/** Without the days before the first charge. A new account has no spend before it. */
function sinceFirstCharge({ first, amounts }: DailySpend): DailySpend {
  const begin = amounts.findIndex((amount) => amount > 0)
  return begin < 0 ? { first, amounts: [] } : { first: first + begin, amounts: amounts.slice(begin) }
}

/** Refunds can make a day negative. No day is expected to be. */
function clip(amounts: readonly number[]): number[] {
  const charged = amounts.filter((amount) => amount > 0).sort((a, b) => a - b)
  const highest = (charged[Math.floor(charged.length / 2)] ?? 0) * PACE_POLICY.highest
  return amounts.map((amount) => Math.max(0, Math.min(amount, highest)))
}
