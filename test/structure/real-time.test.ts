import { globSync } from "node:fs"
import { expect, test } from "vitest"
import { read } from "./source.ts"

/** Constructs whose outcome depends on the speed of the machine. */
const PATTERNS = {
  "measures elapsed time": /performance\.now|process\.(hrtime|cpuUsage|uptime)|console\.time\b|\bmedian\(/,
  "reads the machine's clock to compare moments":
    /Date\.now\(\)(?! \/ 1000)\s*[-<>]|[-<>]=?\s*Date\.now\(\)|new Date\(\)(\.getTime\(\))?\s*[-<>]/,
  sleeps: /pg_sleep|setTimeout[^(]*timers\/promises|setTimeout\(|setInterval\(|scheduler\.wait|Atomics\.wait|delay_ms/,
  "bounds how long a test may take": /timeout: [\d_]{2,}|^\s*\}, [\d_]{4,}\)$/,
}

/**
 * The few that wait for a real process or for a hanging service. Their numbers decide no outcome on
 * a slow machine.
 */
const ALLOWED: Record<string, string> = {
  "test/harness/delaying-proxy.ts sleeps": "the slow database of `npm run stress`",
  "test/harness/locks.ts sleeps": "a transaction that holds its locks polls until it may release them",
  "test/harness/time.ts reads the machine's clock to compare moments": "real OpenID providers have no other clock",
  "test/agent/rehearsal.node.test.ts sleeps": "the limit of work that takes either a second or hours",
  "test/platform/time-limits.test.ts sleeps": "the timers are faked",
  "test/local/temporary-directory.node.test.ts sleeps": "it keeps a program running until it is killed",
  "test/client/dev-package.system.test.ts measures elapsed time": "it prints the seconds of commands, and asserts none",
  "test/dashboard/smooth-text.system.test.ts measures elapsed time":
    "it prints the frames of a page, and asserts no time",
  "test/harness/customer-folder.ts measures elapsed time": "it returns the seconds of commands, for printing",
  "test/provider-books/large-day.thorough.test.ts measures elapsed time": "it prints the seconds, and asserts none",
  "test/turns/leaving.system.test.ts sleeps":
    "a deployed worker's clock cannot be moved, so the worker is watched for some seconds",
}

/** The matches in a text, each as "test/some.test.ts sleeps". */
function found(path: string, text: string): string[] {
  const code = text.replace(/^\s*(\/\/|\/?\*).*$/gm, "")
  return Object.entries(PATTERNS)
    .filter(([, pattern]) => new RegExp(pattern, "m").test(code))
    .map(([what]) => `${path} ${what}`)
}

test("No test measures time, sleeps, or fails because the machine is slow", () => {
  const own = "test/structure/real-time.test.ts"
  const all = globSync("test/**/*.{ts,sql}").filter((path) => path !== own)
  expect(all.length).toBeGreaterThan(300)
  expect(
    all.flatMap((path) => found(path, read(path))).sort(),
    "count the work instead, move the world's clock, or wait for what is seen (untilBlocked, untilCalled, a plan that holds, expect.poll)",
  ).toEqual(Object.keys(ALLOWED).sort())
})

test.each([
  ["measures elapsed time", "const began = performance.now()"],
  ["measures elapsed time", "expect(median(known)).toBeCloseTo(median(unknown))"],
  ["reads the machine's clock to compare moments", "expect(Date.now() - began).toBeLessThan(1000)"],
  ["reads the machine's clock to compare moments", "while (until > Date.now());"],
  ["sleeps", 'await world.sql("select pg_sleep(0.2)")'],
  ["sleeps", "await new Promise((done) => setTimeout(done, 150))"],
  ["sleeps", 'import { setTimeout } from "node:timers/promises"'],
  ["bounds how long a test may take", "await expect.poll(read, { timeout: 20_000 }).toBe(1)"],
  ["bounds how long a test may take", "}, 120_000)"],
])("A test that %s is found: %s", (what, line) => {
  expect(found("a.test.ts", line)).toEqual([`a.test.ts ${what}`])
})

test("Time that does not depend on speed is not found", () => {
  for (const line of [
    "vi.useFakeTimers({ now: Date.now() })",
    "String(Math.floor(Date.now() / 1000))",
    "clock.sleep(5)",
  ]) {
    expect(found("a.test.ts", line)).toEqual([])
  }
})
