import { expect, test } from "vitest"
import { wordsOfTerms } from "../../dashboard/src/turns/price-terms.ts"

test.each<[Parameters<typeof wordsOfTerms>[0], string | null]>([
  [{ above_input_tokens: null, modifiers: [] }, null],
  [{}, null],
  [{ above_input_tokens: 272_000, modifiers: [] }, "tier above 272,000 input tokens"],
  [{ modifiers: ["flex"] }, "served as flex"],
  [
    { above_input_tokens: 200_000, modifiers: ["priority", "geo_us"] },
    "tier above 200,000 input tokens, served as priority, region us",
  ],
])("A bill and a receipt name the tier and the service of a call: %j", (terms, words) => {
  expect(wordsOfTerms(terms)).toBe(words)
})
