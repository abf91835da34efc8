import { expect, test } from "vitest"
import { labelText, tickFormat, ticksOf } from "../../dashboard/src/ui/chart-scale.ts"

test.each([
  [0.135, "usd", ["$0.00", "$0.05", "$0.10", "$0.15"]],
  [0.00041, "usd", ["$0.0000", "$0.0001", "$0.0002", "$0.0003", "$0.0004", "$0.0005"]],
  [18.4, "usd", ["$0", "$5", "$10", "$15", "$20"]],
  [48_000, "usd", ["$0", "$10K", "$20K", "$30K", "$40K", "$50K"]],
  [3, "count", ["0", "1", "2", "3"]],
  [1, "count", ["0", "1"]],
  [0, "count", ["0", "1"]],
  [870, "count", ["0", "200", "400", "600", "800", "1,000"]],
  [0, "usd", ["$0.00", "$0.20"]],
] as const)("An axis up to %s (%s) has lines in steps of 1, 2 or 5: %s", (most, unit, texts) => {
  const ticks = ticksOf([0, most], unit)
  expect(ticks.map(tickFormat(ticks, unit))).toEqual(texts)
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
})

test("An axis with negative values has a line at 0 and one below all of them", () => {
  expect(ticksOf([-0.3, 1.1], "usd")).toEqual([-0.5, 0, 0.5, 1, 1.5])
})

test("Days and hours of an axis are written with the month's name, and names stay as they are", () => {
  expect(["2026-11-06", "02-29 08:00", "Support, second line"].map((label) => labelText(label))).toEqual([
    "Nov 6",
    "Feb 29, 08:00",
    "Support, second line",
  ])
  expect(labelText("2026-11-06", { weekday: true })).toBe("Fri, Nov 6")
})
