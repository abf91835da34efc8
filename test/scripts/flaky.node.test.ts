import { expect, test, vi } from "vitest"
import type { FailedFile, RunReport } from "../../scripts/failures-reporter.ts"
import { describeFlaky, judge } from "../../scripts/flaky.ts"

const failedFile = (file: string): FailedFile => ({
  file,
  project: "workers",
  errors: ["a turn ends: expected done"],
  output: "seed 42\n",
})
const reportOf = (...names: string[]): RunReport => ({
  passed: 9,
  failed: names.length,
  files: names.map(failedFile),
  unhandled: [],
  slowest: [],
})

test("A run without failures passes, and no file runs again", async () => {
  const again = vi.fn(async () => true)
  expect(await judge(reportOf(), 0, again)).toEqual({ flaky: [], failed: [], isOk: true })
  expect(again).not.toHaveBeenCalled()
})

test("A file that passes alone is flaky, and the run passes", async () => {
  const { flaky, failed, isOk } = await judge(reportOf("a", "b"), 0, async () => true)
  expect({ flaky: flaky.map(({ file }) => file), failed, isOk }).toEqual({ flaky: ["a", "b"], failed: [], isOk: true })
})

test("A file that fails twice fails the run", async () => {
  const { flaky, failed, isOk } = await judge(reportOf("a", "b"), 0, async ({ file }) => file === "a")
  expect([flaky.map(({ file }) => file), failed.map(({ file }) => file), isOk]).toEqual([["a"], ["b"], false])
})

test("More than two flaky files fail the run, including the flaky files of earlier runs", async () => {
  expect((await judge(reportOf("a", "b", "c"), 0, async () => true)).isOk).toBe(false)
  expect((await judge(reportOf("a"), 2, async () => true)).isOk).toBe(false)
  expect((await judge(reportOf("a"), 1, async () => true)).isOk).toBe(true)
})

test("An error outside any test file fails the run", async () => {
  const report = { ...reportOf(), unhandled: ["the stand-ins did not start"] }
  expect((await judge(report, 0, async () => true)).isOk).toBe(false)
})

test("A flaky file is described with its errors and its seed", () => {
  expect(describeFlaky(failedFile("test/turns/races.test.ts"))).toBe(
    [
      "FLAKY test/turns/races.test.ts (workers): failed once, passed when it ran again alone",
      "    a turn ends: expected done",
      "    seed 42",
    ].join("\n"),
  )
})
