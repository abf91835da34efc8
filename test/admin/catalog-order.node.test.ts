import { expect, test } from "vitest"
import type { ModelCatalogRow } from "../../dashboard/src/api/operations.ts"
import { movedTo, orderChanges, ordered } from "../../dashboard/src/catalog/catalog-order.ts"

const rowsOf = (orders: Record<string, number>) =>
  Object.entries(orders).map(([pin, sort_order]) => ({ pin, sort_order }) as ModelCatalogRow)

/** The pins sorted by `sort_order` after the changes, and the number of changes. */
function saved(orders: Record<string, number>, wanted: string[]) {
  const changes = orderChanges(ordered(rowsOf(orders), wanted))
  const after = { ...orders, ...Object.fromEntries(changes.map(({ row, sort_order }) => [row.pin, sort_order])) }
  const pins = Object.keys(after).sort((a, b) => (after[a] ?? 0) - (after[b] ?? 0))
  return { pins, changes: changes.length, distinct: new Set(Object.values(after)).size }
}

test("A moved row is the only row that changes while there is a free position", () => {
  const orders = { a: 10, b: 20, c: 30 }
  expect(saved(orders, ["a", "b", "c"])).toEqual({ pins: ["a", "b", "c"], changes: 0, distinct: 3 })
  expect(saved(orders, ["b", "c", "a"])).toEqual({ pins: ["b", "c", "a"], changes: 1, distinct: 3 })
  expect(saved(orders, ["c", "a", "b"])).toEqual({ pins: ["c", "a", "b"], changes: 1, distinct: 3 })
  expect(saved(orders, ["a", "c", "b"])).toEqual({ pins: ["a", "c", "b"], changes: 1, distinct: 3 })
})

test("Every order of five rows can be saved, also without free positions and with equal positions", () => {
  const orders = [
    { a: 1, b: 2, c: 3, d: 4, e: 5 },
    { a: 0, b: 0, c: 0, d: 1, e: 1 },
    { a: -3, b: 7, c: 7, d: 8, e: 900 },
  ]
  for (const given of orders) {
    for (const wanted of permutations(["a", "b", "c", "d", "e"])) {
      expect(saved(given, wanted)).toMatchObject({ pins: wanted, distinct: 5 })
    }
  }
})

test("A row moves to its new place, and the others keep their order", () => {
  expect(movedTo(["a", "b", "c"], 0, 2)).toEqual(["b", "c", "a"])
  expect(movedTo(["a", "b", "c"], 2, 0)).toEqual(["c", "a", "b"])
})

function permutations(list: string[]): string[][] {
  if (list.length < 2) return [list]
  return list.flatMap((first, at) =>
    permutations(list.filter((_, index) => index !== at)).map((rest) => [first, ...rest]),
  )
}
