import { expect, test } from "vitest"
import { chooseMeasurements } from "../../bench/measurements.ts"
import { MEASUREMENTS, readBenchOptions } from "../../bench/options.ts"
import { countFigures } from "../../bench/smoke.ts"

const smoke = readBenchOptions(["--smoke"])
const SIZES = ["seconds", "clients", "acceptClients", "turns", "stored", "accounts", "minutes"] as const

test("A run with --smoke has every measurement, each at a size below the usual one", () => {
  const all = chooseMeasurements(smoke)
  expect([...new Set(all.map(({ group }) => group))].sort()).toEqual([...MEASUREMENTS].sort())
  for (const { title, smoke: own } of all) {
    expect(own.size, title).toBe("smoke")
    for (const name of SIZES) expect(own[name] ?? 0, `${title}: ${name}`).toBeLessThan(smoke[name])
  }
})

test("A run with --smoke finds an answer without figures, and figures without a value", () => {
  expect(countFigures({})).toEqual({ count: 0, missing: [] })
  expect(countFigures({ rounds: [1, 2], text: "12 of 20", nothing: "none" })).toEqual({ count: 3, missing: [] })
  const answer = { ms: { p50: Number.NaN, p99: 3 }, per_second: Number.POSITIVE_INFINITY, last: undefined, known: null }
  expect(countFigures(answer)).toEqual({ count: 1, missing: ["ms.p50", "per_second", "last"] })
})
