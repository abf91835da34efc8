import { expect, test } from "vitest"
import type { ModelCatalogRow } from "../../dashboard/src/api/operations.ts"
import { proposalChanges, rowChanges } from "../../dashboard/src/catalog/catalog-changes.ts"

const tokens = { input: 3, cached: 0.3, output: 15 }
const rowOf = (more: object = {}) =>
  ({
    kind: "chat",
    price_usd_per_million_tokens: tokens,
    price_tiers: [],
    price_modifiers: {},
    provider_prices: null,
    ...more,
  }) as never as ModelCatalogRow
const listOf = (prices: object) => ({ price_usd_per_million_tokens: prices, price_tiers: [], price_modifiers: {} })

test("A proposal shows each price and tier that it changes, before and after", () => {
  const tiers = [{ above_input_tokens: 272_000, ...tokens, output: 20 }]
  expect(proposalChanges(rowOf(), { ...tokens, input: 4, tiers, modifiers: {} } as never)).toEqual([
    { label: "Input", before: 3, after: 4 },
    { label: "Input above 272,000 tokens", before: null, after: 3 },
    { label: "Cached input above 272,000 tokens", before: null, after: 0.3 },
    { label: "Output above 272,000 tokens", before: null, after: 20 },
  ])
})

test("A proposal for a model with the provider's prices shows those", () => {
  const row = rowOf({ provider_prices: listOf({ ...tokens, input: 2 }) })
  const prices = { ...tokens, provider: { ...tokens, input: 2.5 } }
  expect(proposalChanges(row, prices as never)).toEqual([{ label: "Input", before: 2, after: 2.5 }])
})

test("A plan shows our prices that change, and the provider's", () => {
  const plan = rowOf({ ...listOf({ ...tokens, output: 18 }), provider_prices: listOf(tokens) })
  expect(rowChanges(rowOf(), plan)).toEqual([{ label: "Output", before: 15, after: 18 }])
  expect(rowChanges(plan, rowOf())).toEqual([{ label: "Output", before: 18, after: 15 }])
  const dearer = rowOf({ ...listOf(tokens), provider_prices: listOf({ ...tokens, input: 9 }) })
  expect(rowChanges(rowOf(), dearer)).toEqual([{ label: "Provider: Input", before: 3, after: 9 }])
})
