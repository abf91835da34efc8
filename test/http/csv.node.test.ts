import { expect, test } from "vitest"
import { csvLine, harmless } from "../../src/base/csv.ts"

test.each([
  ["plain; text | with\tall separators", "plain; text | with\tall separators"],
  ["=1+1", "'=1+1"],
  ["a;=1+1", "a;'=1+1"],
  ["a\t@cmd", "a\t'@cmd"],
  ["a|+1;-2", "a|'+1;'-2"],
  ["a\n=1", "a\n'=1"],
  ['a;"=1"', 'a;"\'=1"'],
  ["a; =1", "a; '=1"],
  ["it's", "it's"],
  ["'quoted", "''quoted"],
  ["a;'b", "a;''b"],
  ["\ttab", "'\ttab"],
  ["\t=1", "'\t'=1"],
  ["a = b", "a = b"],
  ["a-b", "a-b"],
])("A spreadsheet executes no part of %j", (text, shown) => {
  expect(harmless(text)).toBe(shown)
})

test("No field of a line begins like a formula, with any separator", () => {
  const texts = ["x;=1", "x\t=1", "x|=1", "=1;=1\t=1|=1", "\n=1", "'=1", '"=1']
  for (const separator of [",", ";", "\t", "|"]) {
    const line = csvLine(texts.map(harmless))
    for (const field of line.split(separator)) expect(field.replace(/^["\s]+/, "")).not.toMatch(/^[=+\-@]/)
  }
})

test("A field that contains a separator other than the comma is quoted", () => {
  expect(csvLine(["a;b", "c|d", "e\tf", "g"])).toBe('"a;b","c|d","e\tf",g\r\n')
})
