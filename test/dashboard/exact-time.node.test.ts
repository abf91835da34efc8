import { expect, test } from "vitest"
import { exactIn, exactLocal, exactUtc, otherOf } from "../../dashboard/src/ui/exact-time.ts"

const AT = "2026-07-01T23:59:58.900Z"

test("An instant is shown in UTC, and with the same form in a zone, which is named", () => {
  expect(exactUtc(AT)).toBe("2026-07-01 23:59:58 UTC")
  expect(exactLocal(AT, "Asia/Tokyo")).toBe("2026-07-02 08:59:58 GMT+9")
  expect(exactLocal(AT, "America/New_York")).toBe("2026-07-01 19:59:58 EDT")
  expect(exactLocal("2026-12-01T05:00:00Z", "America/New_York")).toBe("2026-12-01 00:00:00 EST")
})

test("The chosen zone is shown, and the other one is at hand", () => {
  expect([exactIn("utc", AT), otherOf("local", AT)]).toEqual([exactUtc(AT), exactUtc(AT)])
  expect([exactIn("local", AT), otherOf("utc", AT)]).toEqual([exactLocal(AT), exactLocal(AT)])
})
