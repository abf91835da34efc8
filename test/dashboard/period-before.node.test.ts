import { expect, test } from "vitest"
import { periodBefore } from "../../dashboard/src/usage/period-before.ts"

const at = (day: string) => `${day}T00:00:00.000Z`
const before = (from: string, to: string, { chosen = {}, now = "2026-12-01T02:30:00Z" }) => {
  const { range } = periodBefore({ from: at(from), to: at(to) }, chosen, Date.parse(now))
  return [range.from, range.to].map((end) => end.replace(":00:00.000Z", ""))
}

test("A number of days is compared with as many days before, up to the same hour", () => {
  expect(before("2026-11-25", "2026-12-02", {})).toEqual(["2026-11-18T00", "2026-11-24T03"])
  expect(before("2026-12-01", "2026-12-02", {})).toEqual(["2026-11-30T00", "2026-11-30T03"])
  const chosen = { from: at("2026-10-05"), to: at("2026-10-10") }
  expect(before("2026-10-05", "2026-10-10", { chosen })).toEqual(["2026-09-30T00", "2026-10-05T00"])
})

test("Several months are compared with as many days before", () => {
  const chosen = { from: at("2026-09-01") }
  expect(before("2026-09-01", "2026-12-02", { chosen })).toEqual(["2026-06-01T00", "2026-08-31T03"])
})

test("A month is compared with the month before: all of it, or up to the same hour", () => {
  const november = { from: at("2026-11-01"), to: at("2026-12-01") }
  expect(before("2026-11-01", "2026-12-01", { chosen: november })).toEqual(["2026-10-01T00", "2026-11-01T00"])
  const december = { from: at("2026-12-01") }
  expect(before("2026-12-01", "2026-12-02", { chosen: december })).toEqual(["2026-11-01T00", "2026-11-01T03"])
  const last = { chosen: december, now: "2026-12-31T12:00:00Z" }
  expect(before("2026-12-01", "2027-01-01", last), "November has no 31st day").toEqual([
    "2026-11-01T00",
    "2026-12-01T00",
  ])
})
