import { expect, test } from "vitest"
import { chosenAfter, fitsAll } from "../../dashboard/src/ui/row-choice.ts"
import { rowAfter } from "../../dashboard/src/ui/row-keys.ts"
import { isShown, lookIn, withColumn } from "../../dashboard/src/ui/table-look.ts"

const USUAL = { shown: {}, isCompact: false }
const [cost, apiKey] = [{ title: "Cost" }, { title: "API key", rare: true }]

test.each([null, "", "null", "[]", "7", "{", '{"shown":7}', '{"shown":{"Cost":"no"},"isCompact":1}'])(
  "A kept text that is no look of a table gives the usual one: %s",
  (text) => expect(lookIn(text)).toEqual(USUAL),
)

test("A look survives being kept, and keeps only the columns that differ from the usual ones", () => {
  const chosen = withColumn(withColumn({ ...USUAL, isCompact: true }, cost, false), apiKey, true)
  expect(chosen).toEqual({ shown: { Cost: false, "API key": true }, isCompact: true })
  expect(lookIn(JSON.stringify(chosen))).toEqual(chosen)
  expect([cost, apiKey].map((column) => isShown(column, chosen))).toEqual([false, true])
  expect(withColumn(withColumn(chosen, cost, true), apiKey, false)).toEqual({ ...USUAL, isCompact: true })
  expect([cost, apiKey].map((column) => isShown(column, USUAL))).toEqual([true, false])
})

test("J and K begin at the first row and stop at the ends of the list", () => {
  expect([-1, 0, 1, 2].map((at) => rowAfter("j", at, 3))).toEqual([0, 1, 2, 2])
  expect([-1, 0, 1, 2].map((at) => rowAfter("k", at, 3))).toEqual([0, 0, 0, 1])
})

test("Chosen rows stay when a page with smaller keys exceeds the most rows of an act", () => {
  const chosen = new Set(["900", "30", "turn_1"])
  const all = { "900": true, "30": true, turn_1: true, "7": true, "5": true, "6": true }
  expect([...chosenAfter(chosen, all, 5)]).toEqual(["900", "30", "turn_1", "5", "6"])
  expect([...chosenAfter(chosen, { ...all, "30": false }, 3)]).toEqual(["900", "turn_1", "5"])
  expect([...chosenAfter(chosen, { turn_1: true }, 3)]).toEqual(["turn_1"])
})

test("All rows of a page can be chosen only if one act takes them together with the chosen ones", () => {
  const chosen = new Set(["900", "30"])
  expect(fitsAll(chosen, ["30", "5"], 3)).toBe(true)
  expect(fitsAll(chosen, ["30", "5", "6"], 3)).toBe(false)
  expect(fitsAll(new Set(["1", "2", "3"]), ["1", "2"], 3)).toBe(true)
})
