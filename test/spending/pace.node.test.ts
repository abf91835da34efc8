import { expect, test } from "vitest"
import {
  type DailySpend,
  dayNumber,
  expectedUntil,
  lastsUntil,
  type Outlook,
  paceOf,
  weekdayOf,
} from "../../src/spending/pace.ts"
import { PACE_POLICY } from "../../src/spending/policies.ts"

/** A Monday. */
const TODAY = dayNumber(new Date("2026-11-16T00:00:00Z"))

/** The spend of the last `days` days before today. */
const before = (days: number, amount: (weekday: number, day: number) => number): DailySpend => ({
  first: TODAY - days,
  amounts: Array.from({ length: days }, (_, index) => amount(weekdayOf(TODAY - days + index), index)),
})

function outlookOf(spend: DailySpend, own: Partial<Outlook> = {}): Outlook {
  const pace = paceOf(spend)
  if (!pace) throw new Error("no pace")
  return { pace, today: TODAY, elapsed: 0, spentToday: 0, dailyCap: null, ...own }
}

const flat = (days: number, amount: number) => before(days, () => amount)
const isWorkday = (weekday: number) => weekday < 5

test("The days of the week are numbered from Monday", () => {
  expect([weekdayOf(TODAY), weekdayOf(TODAY - 1), weekdayOf(TODAY + 5)]).toEqual([0, 6, 5])
})

test("Equal days are expected to continue, and today only for its rest", () => {
  const outlook = outlookOf(flat(56, 700), { elapsed: 0.25 })
  expect(outlook.pace.weekdays).toEqual(new Array(7).fill(700))
  expect(expectedUntil(TODAY + 1, outlook)).toBe(525)
  expect(expectedUntil(TODAY + 10, outlook)).toBe(525 + 9 * 700)
})

test("A weekend without spend is expected to stay low, although the average is not", () => {
  const { weekdays, method } = outlookOf(before(56, (weekday) => (isWorkday(weekday) ? 1000 : 0))).pace
  expect(method).toBe("weekdays")
  expect(weekdays.slice(0, 5).every((amount) => amount > 900)).toBe(true)
  expect(weekdays.slice(5).every((amount) => amount < 200)).toBe(true)
})

test("A new account has no pace for three days, then an average, and the days before its first charge do not count", () => {
  const young = (days: number) => before(56, (_weekday, day) => (day >= 56 - days ? 300 : 0))
  expect(paceOf(young(0))).toBeNull()
  expect(paceOf(young(PACE_POLICY.leastDays - 1))).toBeNull()
  expect(paceOf(young(PACE_POLICY.leastDays))).toEqual({ method: "average", days: 3, weekdays: new Array(7).fill(300) })
  expect(paceOf(young(PACE_POLICY.weekdayDays))?.method).toBe("weekdays")
})

test("Recent weeks count more than old ones", () => {
  const grown = outlookOf(before(56, (_weekday, day) => (day < 28 ? 100 : 200))).pace
  expect(grown.weekdays[0]).toBeGreaterThan(170)
  expect(grown.weekdays[0]).toBeLessThan(200)
})

test("A single day a hundred times as high changes the pace by less than the half", () => {
  const spiked = outlookOf(before(56, (_weekday, day) => (day === 50 ? 10_000 : 100))).pace
  expect(Math.max(...spiked.weekdays)).toBeLessThan(150)
})

test("A refund that makes a day negative, and an account that refunded everything, give no negative expectation", () => {
  const refunded = before(20, (_weekday, day) => (day === 0 ? 100 : -100))
  expect(expectedUntil(TODAY + 5, outlookOf(refunded))).toBeGreaterThanOrEqual(0)
})

test("A balance lasts until the day on which the expected spend exceeds it", () => {
  const outlook = outlookOf(flat(56, 100))
  expect(lastsUntil(250, [], outlook)).toBe(TODAY + 2)
  expect(lastsUntil(300, [], outlook)).toBe(TODAY + 2)
  expect(lastsUntil(301, [], outlook)).toBe(TODAY + 3)
  expect(lastsUntil(1_000_000, [], outlook)).toBeNull()
})

test("Credit of a plan prolongs a balance if it comes in time", () => {
  const outlook = outlookOf(flat(56, 100))
  expect(lastsUntil(250, [{ day: TODAY + 2, amount: 500 }], outlook)).toBe(TODAY + 7)
  expect(lastsUntil(250, [{ day: TODAY + 3, amount: 500 }], outlook)).toBe(TODAY + 2)
})

test("The daily cap of a plan bounds each day, and today its rest", () => {
  const outlook = outlookOf(flat(56, 100), { dailyCap: 60, spentToday: 50 })
  expect(expectedUntil(TODAY + 1, outlook)).toBe(10)
  expect(expectedUntil(TODAY + 2, outlook)).toBe(70)
  expect(expectedUntil(TODAY + 1, { ...outlook, spentToday: 80 })).toBe(0)
})
