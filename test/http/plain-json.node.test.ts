import fc from "fast-check"
import { expect, test } from "vitest"
import { csvLine } from "../../src/base/csv.ts"
import { toUsd, usdText } from "../../src/base/money.ts"
import { plainJson, plainNumber } from "../../src/base/plain-json.ts"

const DECIMAL = /^-?\d+(\.\d+)?$/
const amounts = fc
  .tuple(fc.double({ min: 1, max: 10, noNaN: true }), fc.integer({ min: -12, max: 5 }), fc.boolean())
  .map(([digits, power, isNegative]) => (isNegative ? -1 : 1) * digits * 10 ** power)

test("An amount from 1e-12 to 1e6 is a plain decimal in JSON and CSV, and parses to the same number", () => {
  fc.assert(
    fc.property(amounts, (amount) => {
      const [, written = ""] = /^\{"a":\[(.*),"9e-7"\]\}$/.exec(plainJson({ a: [amount, "9e-7"] })) ?? []
      for (const text of [written, csvLine([amount]).trim(), plainNumber(amount)]) {
        expect(text).toMatch(DECIMAL)
        expect(Number(text)).toBe(amount)
      }
    }),
    { numRuns: 2000 },
  )
})

test("Every whole number of credit micros is the same plain decimal in JSON, CSV and sentences", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10 ** 13 }), (micros) => {
      const texts = [plainJson(toUsd(micros)), csvLine([toUsd(micros)]).trim(), usdText(micros)]
      expect(new Set(texts).size).toBe(1)
      expect(texts[0]).toMatch(/^\d+(\.\d{1,7})?$/)
    }),
  )
})

test.each([
  [9e-7, "0.0000009"],
  [-1e-7, "-0.0000001"],
  [1.25e-12, "0.00000000000125"],
  [0, "0"],
  [0.25, "0.25"],
  [1e6, "1000000"],
])("The number %s is written as %s", (amount, text) => {
  expect(plainJson({ amount })).toBe(`{"amount":${text}}`)
  expect(plainJson([amount], 2)).toBe(`[\n  ${text}\n]`)
})

test("Digits that a double would lose, and texts, stay unchanged", () => {
  const raw = (JSON as unknown as { rawJSON(text: string): object }).rawJSON("12345678901234567890")
  expect(plainJson({ raw, text: "1e-7", small: 1e-7 })).toBe(
    '{"raw":12345678901234567890,"text":"1e-7","small":0.0000001}',
  )
})
