import { expect, test } from "vitest"
import { knownWords, wordsOf } from "../../dashboard/src/api/code-words.ts"
import * as rules from "../../dashboard/src/api/rules.ts"
import { FAILURE_HINTS } from "../../dashboard/src/turns/failure-hints.ts"

/** A word that people read as it is. */
const PLAIN = /^[a-z]+$/
/** HTTP methods and percentages are shown as they are sent. The error of a request has a sentence in its answer. */
const SHOWN_AS_SENT = /^([A-Z_]+|\d+)$/

/** Every value of an enum in the API's document. */
function codesOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, part]) =>
    name === "words" && Array.isArray(part) ? part.map(String) : codesOf(part),
  )
}

test("Every code of the API that the web app can show has words", () => {
  const codes = new Set(codesOf({ ...rules }))
  expect(codes.size).toBeGreaterThan(200)
  expect([...codes].filter((code) => !PLAIN.test(code) && !SHOWN_AS_SENT.test(code) && !knownWords(code))).toEqual([])
})

test("Every reason of a failed turn has words", () => {
  expect(Object.keys(FAILURE_HINTS).filter((code) => !knownWords(code))).toEqual([])
})

test("A code that another system has chosen is shown without its punctuation", () => {
  expect(["OUT_OF_STOCK", "some-reason", "done"].map(wordsOf)).toEqual(["out of stock", "some reason", "done"])
})
