import { expect, test } from "vitest"
import { onDayWithin } from "../../dashboard/src/ui/days.ts"
import { endsOf, firstOfMonth, RANGE_WORDS, RANGES, wordsOfEnds } from "../../dashboard/src/ui/time-range.ts"

const NOW = Date.parse("2026-01-15T10:20:30.400Z")

test("Ranges by name begin at a day or a month of UTC, or hours ago to the minute", () => {
  expect(Object.fromEntries(RANGES.map((range) => [range, endsOf(range, NOW)]))).toEqual({
    "1h": { created_after: "2026-01-15T09:20:00.000Z" },
    "24h": { created_after: "2026-01-14T10:20:00.000Z" },
    today: { created_after: "2026-01-15T00:00:00.000Z" },
    "7d": { created_after: "2026-01-09T00:00:00.000Z" },
    "30d": { created_after: "2025-12-17T00:00:00.000Z" },
    this_month: { created_after: "2026-01-01T00:00:00.000Z" },
    last_month: { created_after: "2025-12-01T00:00:00.000Z", created_before: "2026-01-01T00:00:00.000Z" },
  })
  expect(Object.keys(RANGE_WORDS)).toEqual([...RANGES])
  expect(firstOfMonth(Date.parse("2026-03-31T23:59:59Z"), 1)).toBe("2026-02-01T00:00:00.000Z")
})

test.each([
  [undefined, undefined, "Any time"],
  ["2026-01-01T00:00:00.000Z", undefined, "From 2026-01-01"],
  ["2026-01-01T09:30:00.000Z", undefined, "From 2026-01-01 09:30"],
  [undefined, "2026-01-01T00:00:00.000Z", "Until 2025-12-31"],
  ["2026-01-01T00:00:00.000Z", "2026-01-02T00:00:00.000Z", "2026-01-01"],
  ["2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", "2026-01-01 to 2026-01-31"],
  ["2026-01-01T10:00:00.000Z", "2026-01-01T11:00:00.000Z", "2026-01-01 10:00 to 2026-01-01 11:00"],
])("The ends %s and %s are named with their last day: %s", (from, to, words) => {
  expect(wordsOfEnds(from, to)).toBe(words)
})

test("The highest day of an anomaly is its only day, or one of several whose last day has ended", () => {
  const from = "2026-01-15T00:00:00.000Z"
  expect(onDayWithin(from, "2026-01-16T00:00:00.000Z")).toBe("on 2026-01-15")
  expect(onDayWithin(from, "2026-01-18T00:00:00.000Z")).toBe("on a day from 2026-01-15 to 2026-01-17")
})
