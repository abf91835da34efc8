import { expect, test } from "vitest"
import { argumentsAt, procedures, withoutComments } from "./source.ts"

// PostgreSQL resolves a procedure only when the calling line runs, so a customer would find a wrong
// call in a rare branch.
test("Procedures call each other with the right number of arguments", () => {
  const taken = new Map<string, number>()
  const calls: { place: string; name: string; count: number }[] = []
  for (const { path: file, text: sql } of procedures) {
    const text = withoutComments(sql)
    for (const { 0: word, 1: name = "", index } of text.matchAll(/turnpike\.(\w+)\s*\(/g)) {
      const given = argumentsAt(text, index + word.length - 1)
      if (/create (function|aggregate) $/.test(text.slice(0, index))) {
        expect(taken.has(name), `${name} is defined once`).toBe(false)
        taken.set(name, given.filter((one) => !one.startsWith("out ")).length)
      } else {
        calls.push({ place: `${file}:${text.slice(0, index).split("\n").length}`, name, count: given.length })
      }
    }
  }
  expect(calls.length).toBeGreaterThan(300)
  expect(calls.filter(({ name, count }) => taken.get(name) !== count)).toEqual([])
})
