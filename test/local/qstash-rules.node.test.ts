import { expect, test } from "vitest"
import { parseCron } from "../../src/local/qstash-cron.ts"
import { parseDuration } from "../../src/local/qstash-duration.ts"
import { compileExpression } from "../../src/local/qstash-expression.ts"
import { type Due, DueHeap } from "../../src/local/qstash-heap.ts"

test.each([
  ["* * * * *", "2026-01-05T10:00:30Z", "2026-01-05T10:01:00Z"],
  ["*/15 * * * *", "2026-01-05T10:00:00Z", "2026-01-05T10:15:00Z"],
  ["0 3 * * *", "2026-01-05T10:00:00Z", "2026-01-06T03:00:00Z"],
  ["30 9-17/4 * * 1-5", "2026-01-09T17:30:00Z", "2026-01-12T09:30:00Z"],
  ["0 0 29 2 *", "2026-01-05T10:00:00Z", "2028-02-29T00:00:00Z"],
  ["0 0 13 * 5", "2026-01-05T10:00:00Z", "2026-01-09T00:00:00Z"],
  ["0 0 * * 7", "2026-01-05T10:00:00Z", "2026-01-11T00:00:00Z"],
  ["CRON_TZ=UTC 5,10 1 1 1 *", "2026-01-01T01:05:00Z", "2026-01-01T01:10:00Z"],
])("cron %s after %s fires at %s", (expression, after, next) => {
  expect(parseCron(expression).next(Date.parse(after))).toBe(Date.parse(next))
})

test("a cron for a day that never comes fires never", () => {
  expect(parseCron("0 0 30 2 *").next(Date.UTC(2026, 0, 5))).toBeUndefined()
})

test.each([
  ["1000 * (1 + retried)", 2, 3000],
  ["2 + 3 * 4 - 6 / 3 - 1", 0, 11],
  ["pow(2, retried) * 1000", 3, 8000],
  ["max(min(5, 7), abs(-2)) + sqrt(9) + floor(1.9) + ceil(1.1) + round(2.5)", 0, 14],
  ["exp(0) - -retried", 4, 5],
])("the expression %s with retried = %i is %d", (source, retried, value) => {
  expect(compileExpression(source)(retried)).toBe(value)
})

test.each(["", "1 +", "(1", "1)", "1 2", "attempts", "pow(2)", "toString()", "constructor(1)", "1;2", "retried.x"])(
  "the expression %s is refused",
  (source) => {
    expect(() => compileExpression(source)).toThrow(SyntaxError)
  },
)

test("durations add their parts and take nothing else", () => {
  expect(parseDuration("1d10h30m5s")).toBe(124_205_000)
  for (const bad of ["", "5", "s", "5 s", "-5s", "5ms", "5s!"]) expect(parseDuration(bad)).toBeUndefined()
})

test("the heap gives back in order of time and arrival, whatever leaves from its middle", () => {
  const heap = new DueHeap<Due>()
  const items = Array.from({ length: 200 }, (_, sequence): Due => {
    return { notBefore: (sequence * 7919) % 50, sequence, heapIndex: -1 }
  })
  for (const item of items) heap.push(item)
  const left = items.filter(({ sequence }) => sequence % 3 === 0)
  for (const item of items) if (!left.includes(item)) heap.remove(item)
  const out: Due[] = []
  for (let item = heap.peek(); item; item = heap.peek()) {
    heap.remove(item)
    out.push(item)
  }
  expect(out).toEqual(left.sort((a, b) => a.notBefore - b.notBefore || a.sequence - b.sequence))
})
