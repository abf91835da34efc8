import { expect, test } from "vitest"
import { expectedUntil, paceOf } from "../../src/spending/pace.ts"
import { PACE_POLICY, UNUSUAL_POLICY } from "../../src/spending/policies.ts"
import { usualIfExceeded } from "../../src/spending/unusual.ts"
import { simulateYear, spendByDay, YEAR, YEAR_DAYS } from "../harness/simulated-year.ts"

const ACCOUNTS = 50
const year = simulateYear(ACCOUNTS)

/** The first days of the months of the year, and of the next one, after YEAR. */
const MONTHS = Array.from({ length: 13 }, (_, month) => Date.UTC(2025, month, 1) / 86_400_000)

/** The error of the forecast for a month that is made on a day of it, as a part of the month's spend. */
function errorAt(account: (typeof year)[number], month: number, dayOfMonth: number): number {
  const totals = spendByDay(account)
  const [begin, end] = [MONTHS[month] ?? 0, MONTHS[month + 1] ?? 0]
  const today = begin + dayOfMonth - 1
  const between = (from: number, to: number) =>
    totals.slice(from - account.first, to - account.first).reduce((sum, amount) => sum + amount, 0)
  const first = today - PACE_POLICY.days
  const pace = paceOf({ first, amounts: totals.slice(first - account.first, today - account.first) })
  if (!pace) throw new Error("no pace")
  const expected =
    between(begin, today) + expectedUntil(end, { pace, today, elapsed: 0, spentToday: 0, dailyCap: null })
  return expected / between(begin, end) - 1
}

const quantile = (sorted: number[], part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
const percent = (part: number) => `${(part * 100).toFixed(1)}%`

test("At mid-month the forecast of a simulated year is near the month's spend", () => {
  expect(MONTHS[0]).toBe(YEAR)
  const errors = year.flatMap((account) => MONTHS.slice(0, 12).map((_begin, month) => errorAt(account, month, 16)))
  const sizes = errors.map(Math.abs).sort((a, b) => a - b)
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length
  const [median, p90, worst] = [quantile(sizes, 0.5), quantile(sizes, 0.9), sizes.at(-1) ?? 0]
  console.log(
    `forecasts at mid-month: ${errors.length}, error: median ${percent(median)}, 90% within ${percent(p90)}, worst ${percent(worst)}, bias ${percent(bias)}`,
  )
  expect(median).toBeLessThan(0.05)
  expect(p90).toBeLessThan(0.12)
  expect(worst).toBeLessThan(0.3)
  expect(Math.abs(bias)).toBeLessThan(0.05)
})

/** The days of the year on which a new anomaly begins. Days in a row are one. */
function toldDays(first: number, amounts: readonly number[]): number[] {
  const isUnusual = (day: number) => {
    const begin = day - UNUSUAL_POLICY.days
    const before = { first: begin, amounts: amounts.slice(begin - first, day - first) }
    return usualIfExceeded(amounts[day - first] ?? 0, before, day) !== null
  }
  const days = Array.from({ length: YEAR_DAYS }, (_, index) => YEAR + index).filter(isUnusual)
  return days.filter((day) => !days.includes(day - 1))
}

test("In a simulated year no tenfold day of an end user is missed, and false alarms are rare", () => {
  const found = { alarms: 0, spikes: 0, missed: 0, falseAlarms: 0, ofSpaces: 0 }
  for (const account of year) {
    for (const { amounts, spikes } of account.customers) {
      const told = toldDays(account.first, amounts)
      found.alarms += told.length
      found.spikes += spikes.size
      found.missed += [...spikes].filter((day) => !told.includes(day)).length
      found.falseAlarms += told.filter((day) => !spikes.has(day)).length
    }
    // All end users of an account are in one space, and so are its turns of one key.
    found.ofSpaces += toldDays(account.first, spendByDay(account)).length
  }
  const each = (count: number) => (count / (ACCOUNTS * 12)).toFixed(3)
  console.log(
    `anomalies: ${found.spikes} tenfold days, ${found.missed} missed; for each account and month: ${each(found.alarms)} alarms ` +
      `of end users, ${each(found.falseAlarms)} of them false, ${each(found.ofSpaces)} alarms of spaces, and as many of keys`,
  )
  expect(found.spikes).toBeGreaterThan(200)
  expect(found.missed).toBe(0)
  expect(found.falseAlarms / (ACCOUNTS * 12)).toBeLessThan(0.1)
})
