import { expect, test } from "vitest"
import { argumentsAt, procedures, withoutComments } from "./source.ts"

// PostgreSQL looks a procedure up when the line that calls it runs: a wrong call on a rare way would be found by a customer.
test("Procedures call each other with as many arguments as they take", () => {
  const taken = new Map<string, number>()
  const calls: { place: string; name: string; count: number }[] = []
  for (const { path: file, text: sql } of procedures) {
    const text = withoutComments(sql)
    for (const { 0: word, 1: name = "", index } of text.matchAll(/turnpike\.(\w+)\s*\(/g)) {
      const given = argumentsAt(text, index + word.length - 1)
      if (/create (function|aggregate) $/.test(text.slice(0, index))) {
        expect(taken.has(name), `${name} is there once`).toBe(false)
        taken.set(name, given.filter((one) => !one.startsWith("out ")).length)
      } else {
        calls.push({ place: `${file}:${text.slice(0, index).split("\n").length}`, name, count: given.length })
      }
    }
  }
  expect(calls.length).toBeGreaterThan(300)
  expect(calls.filter(({ name, count }) => taken.get(name) !== count)).toEqual([])
})
