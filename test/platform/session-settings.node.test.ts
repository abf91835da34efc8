import { describe, expect, test } from "vitest"
import { parseDay, parseTimestamp, SET_SESSION, wrongSettings } from "../../src/platform/session-settings.ts"

describe("A time that the database sends is parsed with any offset", () => {
  test.each([
    ["2026-11-28 08:36:00+00", "2026-11-28T08:36:00.000Z"],
    ["2026-11-28 08:36:00.123456+00", "2026-11-28T08:36:00.123Z"],
    ["2026-11-28 21:36:00+13", "2026-11-28T08:36:00.000Z"],
    ["2026-11-28 21:36:00.5+13", "2026-11-28T08:36:00.500Z"],
    ["2026-11-28 09:36:00.25+01", "2026-11-28T08:36:00.250Z"],
    ["2026-11-28 14:06:00+05:30", "2026-11-28T08:36:00.000Z"],
    ["2026-11-28 22:21:00+13:45", "2026-11-28T08:36:00.000Z"],
    ["2026-11-27 22:36:00-10", "2026-11-28T08:36:00.000Z"],
    ["2026-11-28 05:06:00-03:30", "2026-11-28T08:36:00.000Z"],
    ["1890-01-01 00:53:28+00:53:28", "1890-01-01T00:00:00.000Z"],
    ["12026-11-28 08:36:00+00", "+012026-11-28T08:36:00.000Z"],
    ["2024-02-29 23:59:60+00", "2024-03-01T00:00:00.000Z"],
  ])("%s is %s", (text, moment) => {
    expect(parseTimestamp(text).toISOString()).toBe(moment)
  })

  test.each(["28/11/2026 08:36:00 UTC", "Sat Nov 28 08:36:00 2026 UTC", "28.11.2026 08:36:00 UTC", "infinity", ""])(
    "%s is no time, and the error names DateStyle",
    (text) => expect(() => parseTimestamp(text)).toThrow(/DateStyle/),
  )

  test("A day stays text, and another form of it is an error", () => {
    expect(parseDay("2026-11-28")).toBe("2026-11-28")
    for (const text of ["28/11/2026", "11-28-2026", "28.11.2026"]) expect(() => parseDay(text)).toThrow(/DateStyle/)
  })
})

test("A setting with which answers would be wrong is named, and spellings of UTC are right", () => {
  expect(wrongSettings({ TimeZone: "Etc/UTC", DateStyle: "ISO, DMY", extra_float_digits: "3" })).toEqual([])
  expect(wrongSettings({ TimeZone: "Europe/London", DateStyle: "SQL, DMY", extra_float_digits: "0" })).toEqual([
    "TimeZone is Europe/London",
    "DateStyle is SQL, DMY",
    "extra_float_digits is 0",
  ])
  expect(SET_SESSION).toContain("set TimeZone = 'UTC'; set DateStyle = 'ISO, MDY'")
})
