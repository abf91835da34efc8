import { expect, test } from "vitest"
import { bucketsOf, datesOf, dayText, granularityOf, hoursOf } from "../../src/analytics/range.ts"
import { daysBetween, PERIODS, rangeBetween, rangeOfDates } from "../../src/base/report-range.ts"

const now = new Date("2028-03-01T10:30:00Z")
const DAY_MS = 86_400_000
const shown = ({ from, to }: { from: Date; to: Date }) => [from, to].map((moment) => moment.toISOString().slice(0, 16))
const of = (from: string, to: string) => ({ from: new Date(from), to: new Date(to) })

test("The last days are whole days, and today is one of them", () => {
  const lastDays = (moment: Date, days: number) => rangeBetween(moment, { days })
  expect(shown(lastDays(now, 1))).toEqual(["2028-03-01T00:00", "2028-03-02T00:00"])
  expect(shown(lastDays(new Date("2028-03-01T00:00:00Z"), 2))).toEqual(["2028-02-29T00:00", "2028-03-02T00:00"])
  expect(shown(lastDays(new Date("2028-02-29T23:59:59.999Z"), 366))).toEqual(["2027-03-01T00:00", "2028-03-01T00:00"])
})

test("Each end of a range takes precedence over days", () => {
  const between = (range: { days: number; start?: string; end?: string }) => shown(rangeBetween(now, range))
  expect(between({ days: 3 })).toEqual(["2028-02-28T00:00", "2028-03-02T00:00"])
  expect(between({ days: 3, start: "2028-02-01T06:00:00Z" })).toEqual(["2028-02-01T06:00", "2028-03-02T00:00"])
  expect(between({ days: 3, end: "2028-02-01T06:00:00Z" })).toEqual(["2028-01-29T06:00", "2028-02-01T06:00"])
  expect(between({ days: 3, start: "2027-01-01T00:00:00Z", end: "2027-01-02T00:00:00Z" })).toEqual([
    "2027-01-01T00:00",
    "2027-01-02T00:00",
  ])
  const dates = (range: { days: number; date_from?: string; date_to?: string }) => shown(rangeOfDates(now, range))
  expect(dates({ days: 2 })).toEqual(["2028-02-29T00:00", "2028-03-02T00:00"])
  expect(dates({ days: 2, date_from: "2028-02-28" })).toEqual(["2028-02-28T00:00", "2028-03-02T00:00"])
  expect(dates({ days: 2, date_to: "2028-02-29" })).toEqual(["2028-02-28T00:00", "2028-03-01T00:00"])
  expect(dates({ days: 2, date_from: "2028-02-29", date_to: "2028-02-29" })).toEqual([
    "2028-02-29T00:00",
    "2028-03-01T00:00",
  ])
})

test("An empty range and a range that is too long are refused", () => {
  const [a, b] = ["2028-01-01T00:00:00Z", "2028-01-01T00:00:01Z"]
  expect(() => rangeBetween(now, { days: 1, start: b, end: a })).toThrow("start: must be before `end`")
  expect(() => rangeBetween(now, { days: 1, start: a, end: a })).toThrow("start: must be before `end`")
  expect(() => rangeBetween(now, { days: 1, start: "2028-03-02T00:00:00Z" })).toThrow("start: must be before `end`")
  expect(() => rangeOfDates(now, { days: 1, date_from: "2028-03-02" })).toThrow("date_from: must be before `date_to`")
  expect(() => rangeOfDates(now, { days: 1, date_from: "2028-02-02", date_to: "2028-02-01" })).toThrow("date_from")
  expect(rangeBetween(now, { days: 1, start: a, end: b }, 1)).toEqual(of(a, b))
  expect(() => rangeBetween(now, { start: a, end: "2028-01-02T00:00:00.001Z" }, 1)).toThrow("at most 1 days")
  expect(shown(rangeBetween(now, { days: 3650 }))[0]).toBe("2018-03-05T00:00")
  expect(() => rangeBetween(now, { days: 1, start: "2018-03-04T23:59:59.999Z" })).toThrow("at most 3650 days")
})

test("A series has days up to 92 days, weeks up to 730, and months beyond", () => {
  const days = (count: number) => granularityOf({ from: now, to: new Date(now.getTime() + count * DAY_MS) })
  expect([1, 92, 92.1, 730, 730.1, 3650].map(days)).toEqual(["day", "day", "week", "week", "month", "month"])
})

test("Weeks begin on Monday, months on the first, and the first bucket may begin before the range", () => {
  const texts = (from: string, to: string, granularity: "day" | "week" | "month") =>
    bucketsOf(of(from, to), granularity).map(dayText)
  // A Sunday, then a Monday.
  expect(texts("2028-02-27", "2028-02-28", "week")).toEqual(["2028-02-21"])
  expect(texts("2028-02-27", "2028-02-28T00:00:00.001Z", "week")).toEqual(["2028-02-21", "2028-02-28"])
  expect(texts("2028-02-28", "2028-03-06", "week")).toEqual(["2028-02-28"])
  expect(texts("2027-12-31", "2028-03-01", "month")).toEqual(["2027-12-01", "2028-01-01", "2028-02-01"])
  expect(texts("2028-02-29T23:59:59.999Z", "2028-03-01T00:00:00.001Z", "month")).toEqual(["2028-02-01", "2028-03-01"])
  expect(datesOf(of("2028-02-28T12:00:00Z", "2028-03-01"))).toEqual(["2028-02-28", "2028-02-29"])
  expect(hoursOf(of("2028-02-29T22:30:00Z", "2028-03-01T00:00:00Z"))).toEqual([
    "2028-02-29T22:00:00.000Z",
    "2028-02-29T23:00:00.000Z",
  ])
})

test("A period is a calendar day, week, month or year in UTC, and one that has not ended is cut at tonight", () => {
  const ranges = PERIODS.map((period) =>
    shown(rangeBetween(now, { days: 30, period })).map((text) => text.slice(0, 10)),
  )
  expect(Object.fromEntries(PERIODS.map((period, index) => [period, ranges[index]]))).toEqual({
    today: ["2028-03-01", "2028-03-02"],
    yesterday: ["2028-02-29", "2028-03-01"],
    this_week: ["2028-02-28", "2028-03-02"],
    last_week: ["2028-02-21", "2028-02-28"],
    this_month: ["2028-03-01", "2028-03-02"],
    last_month: ["2028-02-01", "2028-03-01"],
    this_year: ["2028-01-01", "2028-03-02"],
    last_year: ["2027-01-01", "2028-01-01"],
  })
  const january = new Date("2028-01-01T00:00:00Z")
  expect(shown(rangeBetween(january, { period: "last_month" }))[0]).toBe("2027-12-01T00:00")
  expect(() => rangeBetween(now, { period: "today", end: "2028-01-01T00:00:00Z" })).toThrow(
    "period: cannot be combined",
  )
  expect(() => rangeOfDates(now, { period: "today", date_from: "2028-01-01" })).toThrow("date_from: cannot be combined")
})

test("A report by day takes the starts of days only, and at most a year", () => {
  const [start, end] = ["2028-01-01T00:00:00.000Z", "2028-02-01T00:00:00.000Z"]
  expect(shown(daysBetween(now, { days: 1, start, end }))).toEqual(["2028-01-01T00:00", "2028-02-01T00:00"])
  expect(() => daysBetween(now, { start: "2028-01-01T06:00:00.000Z" })).toThrow("start: must be the start of a day")
  expect(() => daysBetween(now, { start, end: "2028-01-01T00:00:00.001Z" })).toThrow("end: must be the start of a day")
  expect(() => daysBetween(now, { start: "2027-02-28T00:00:00.000Z" })).toThrow("at most 366 days")
})
