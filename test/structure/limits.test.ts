import { globSync } from "node:fs"
import { resolve } from "node:path"
import { expect, test } from "vitest"
import { documentOf, SURFACES } from "../../scripts/documents.ts"
import { WAIT_POLICY } from "../../src/agent-config/manifest.ts"
import { ERROR_CODES, type ErrorCode } from "../../src/base/errors.ts"
import { RECEIPT_POLICY } from "../../src/receipts/policies.ts"
import { readGuide } from "../../src/reference/guides.ts"
import { INTERNAL_NUMBERS } from "../../src/reference/internal-numbers.ts"
import { SHOWN_LIMITS, shownLimit } from "../../src/reference/limits.ts"
import { limitGroups } from "../../src/reference/limits-table.ts"
import { TURN_POLICY } from "../../src/turns/policies.ts"
import { read } from "./source.ts"

const numbers: string[] = []
for (const file of globSync("src/*/policies.ts")) {
  const exported = (await import(resolve(file))) as Record<string, unknown>
  for (const [policy, value] of Object.entries(exported)) {
    if (policy.endsWith("_POLICY")) numbers.push(...Object.keys(value as object).map((name) => `${policy}.${name}`))
  }
}

test("Every number of a policy is a limit in the reference or listed as internal, and the lists have no other numbers", () => {
  const internal = (key: string) =>
    INTERNAL_NUMBERS.includes(key) || INTERNAL_NUMBERS.includes(`${key.split(".")[0]}.*`)
  expect(
    numbers.filter((key) => key in SHOWN_LIMITS === internal(key)),
    "add it to SHOWN_LIMITS (src/reference/limits.ts) or to INTERNAL_NUMBERS (internal-numbers.ts), not to both",
  ).toEqual([])
  const known = (key: string) =>
    numbers.includes(key) || (key.endsWith(".*") && numbers.some((one) => one.startsWith(key.slice(0, -1))))
  expect(
    [...Object.keys(SHOWN_LIMITS), ...INTERNAL_NUMBERS].filter((key) => !known(key)),
    "this number does not exist",
  ).toEqual([])
})

const rows = limitGroups().flatMap((group) => group.rows)

test("Every limit is on one page: those of requests with a key for owners, all others in the dashboard's docs", () => {
  expect(rows.length).toBeGreaterThan(Object.keys(SHOWN_LIMITS).length)
  expect(new Set(rows.map(([what]) => what)).size).toBe(rows.length)
  expect(SURFACES.v1.api.guides).toContain("limits")
  expect(SURFACES.dashboard.api.guides).toContain("dashboard-limits")
  const [forOwners, forOthers] = ["limits", "dashboard-limits"].map((name) => readGuide(name, []).description)
  for (const group of limitGroups()) {
    for (const [what, value, , beyond] of group.rows) {
      expect([what, value, beyond].filter((cell) => cell === "")).toEqual([])
      const row = `| ${what} | ${value} |`
      const isForOwners = group.reader === "owners"
      expect([forOwners?.includes(row), forOthers?.includes(row)], what).toEqual([isForOwners, !isForOwners])
    }
  }
})

test("The page for owners has neither logins nor operators' limits", () => {
  expect(readGuide("limits", []).description).not.toMatch(/LOGIN_|password|admin|IDP|provider account/i)
})

test("Each code of a limit exists with its status", () => {
  for (const [, , , beyond] of rows) {
    for (const [, status, code = ""] of beyond.matchAll(/(\d{3}) `([A-Z_]+)`/g)) {
      expect(ERROR_CODES[code as ErrorCode]?.status, code).toBe(Number(status))
    }
  }
})

test("Values are written in a form that people can read", () => {
  const shown = (name: string, value: unknown) => shownLimit(name, value)
  expect(shown("maxBytes", 104_857_600)).toBe("100 MiB")
  expect(shown("timeoutMs", 90_000)).toBe("90 s")
  expect(shown("lifeMs", 30 * 86_400_000)).toBe("30 d")
  expect(shown("waitsMs", [5_000, 300_000])).toBe("5 s, 5 min")
  expect(shown("address", { burst: 30, intervalMs: 20_000 })).toBe("30 at once, then one in 20 s")
  expect(shown("defaultHold", 2_500_000)).toBe("0.25 USD")
})

test("The stated maximum of `timeout_seconds` equals the schemas' maximum", () => {
  const { schemas } = documentOf("v1").components as {
    schemas: Record<string, { properties: { timeout_seconds: { maximum: number } } }>
  }
  const most = (name: string) => schemas[name]?.properties.timeout_seconds.maximum
  expect(SHOWN_LIMITS["TOOL_POLICY.timeoutMs"]?.set).toBe(`\`timeout_seconds\` of the tool, up to ${most("ToolInput")}`)
  expect(most("CreateTurn")).toBe(most("ManifestInput"))
  const ofTurn = `\`timeout_seconds\` of the turn, else of the manifest, up to ${most("CreateTurn")}`
  expect(SHOWN_LIMITS["TURN_POLICY.timeoutSeconds"]?.set).toBe(ofTurn)
})

test.each([
  ["src/ending/end-turns.sql", "queue_life", TURN_POLICY.queueLimitMs],
  ["src/receipts/statement.sql", "settles_after", RECEIPT_POLICY.settlesMs],
])("The interval in %s of %s() is the number of its policy", (path, name, ms) => {
  const [, count, unit] =
    new RegExp(`function turnpike\\.${name}\\(.*interval '(\\d+) (hour|minutes)'`).exec(read(path)) ?? []
  expect(Number(count) * (unit === "hour" ? 3_600_000 : 60_000)).toBe(ms)
})

test("The default of wait_limit() is the number of its policy", () => {
  const [, seconds] = /function turnpike\.wait_limit\([\s\S]*?, (\d+)\)\);/.exec(read("src/turns/waiting.sql")) ?? []
  expect(Number(seconds)).toBe(WAIT_POLICY.usualSeconds)
})
