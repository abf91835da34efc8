import { expect, test } from "vitest"
import { FAILURE_HINTS } from "../../dashboard/src/turns/failure-hints.ts"
import { ERROR_CODES } from "../../src/base/errors.ts"
import { FAILURE_ADVICE } from "../dashboard/failure-advice.ts"
import { filesBelow, procedures, read, withoutComments } from "./source.ts"

/** The rooms that end turns, and the models that choose a code for it. */
const ROOMS = ["src/agent", "src/runs", "src/turns", "src/waits"]

/** Other words in capitals there. */
const NO_FAILURES = [
  // For a failure without a code. Only scripts of the rehearsal model fail like this, and they name one.
  "FAILED",
  // A warning: the turn continues.
  "TOOLS_MISSING",
]

/** Only a test turn can have it, so REHEARSAL.md describes it. */
const REHEARSED = "REHEARSAL_SYNTAX"

const comments = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*/gm
const codesIn = (text: string, quote: string) =>
  [...text.matchAll(new RegExp(`${quote}([A-Z][A-Z_]{3,})${quote}`, "g"))].map(([, code]) => code as string)

const written = [
  ...ROOMS.flatMap(filesBelow).flatMap((path) => codesIn(read(path).replaceAll(comments, ""), '"')),
  ...procedures.flatMap(({ text }) => codesIn(withoutComments(text), "'")),
]
const codes = [...new Set(written)]
  .filter((code) => !Object.hasOwn(ERROR_CODES, code) && !NO_FAILURES.includes(code))
  .sort()

test("The web app has a hint for each code that a failed turn can have", () => {
  expect(codes.length).toBeGreaterThan(15)
  expect(Object.keys(FAILURE_HINTS).sort()).toEqual(codes)
})

test("A browser sees the hint for each code that a failed turn can have", () => {
  expect(FAILURE_ADVICE.map(([code]) => code).sort()).toEqual(codes)
})

test("The guide of turns explains each code that a failed turn can have", () => {
  const section = /\n## Why a turn failed\n([\s\S]*?)\n## /.exec(read("src/reference/guides/turns.md"))?.[1] ?? ""
  const explained = [...section.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, code]) => code)
  expect(explained.sort()).toEqual(codes.filter((code) => code !== REHEARSED))
  expect(read("src/agent/REHEARSAL.md")).toContain(`\`${REHEARSED}\``)
})
