import type { ModelCatalogRow } from "../api/operations.ts"

const STEP = 10

/** Sorts the rows by `order`. Rows that it does not name, such as a new model, come last. */
export function ordered(rows: readonly ModelCatalogRow[], order: readonly string[]): ModelCatalogRow[] {
  const place = new Map(order.map((pin, index) => [pin, index]))
  return [...rows].sort((a, b) => (place.get(a.pin) ?? order.length) - (place.get(b.pin) ?? order.length))
}

/** Moves the pin at index `from` to index `to`. */
export function movedTo(order: readonly string[], from: number, to: number): string[] {
  const moved = order.filter((_, index) => index !== from)
  const pin = order[from]
  return pin === undefined ? moved : [...moved.slice(0, to), pin, ...moved.slice(to)]
}

/** The smallest set of `sort_order` changes that produces the order of the list. */
export function orderChanges(rows: readonly ModelCatalogRow[]): { row: ModelCatalogRow; sort_order: number }[] {
  const kept = longestRising(rows.map(({ sort_order }) => sort_order))
  const wanted: number[] = []
  for (const [index, { sort_order }] of rows.entries()) {
    const before = wanted[index - 1] ?? Number.NEGATIVE_INFINITY
    if (kept.has(index) && sort_order > before) wanted.push(sort_order)
    else wanted.push(between(before, nextKept(rows, kept, index)))
  }
  return rows.flatMap((row, index) => {
    const sort_order = wanted[index] ?? 0
    return sort_order === row.sort_order ? [] : [{ row, sort_order }]
  })
}

function nextKept(rows: readonly ModelCatalogRow[], kept: ReadonlySet<number>, from: number): number {
  const index = rows.findIndex((_, index) => index > from && kept.has(index))
  return rows[index]?.sort_order ?? Number.POSITIVE_INFINITY
}

/** An integer greater than `before`, and less than `after` if there is a gap. */
function between(before: number, after: number): number {
  if (!Number.isFinite(before)) return Number.isFinite(after) ? after - STEP : STEP
  if (after - before > 1 && Number.isFinite(after)) return Math.floor((before + after) / 2)
  return before + (Number.isFinite(after) ? 1 : STEP)
}

/** The indexes of a longest strictly increasing subsequence. */
function longestRising(list: readonly number[]): Set<number> {
  const length: number[] = []
  const former: number[] = []
  for (const [index, value] of list.entries()) {
    length[index] = 1
    former[index] = -1
    for (let earlier = 0; earlier < index; earlier++) {
      if ((list[earlier] ?? 0) < value && (length[earlier] ?? 0) + 1 > (length[index] ?? 0)) {
        length[index] = (length[earlier] ?? 0) + 1
        former[index] = earlier
      }
    }
  }
  const kept = new Set<number>()
  for (let at = length.indexOf(Math.max(...length)); at >= 0; at = former[at] ?? -1) kept.add(at)
  return kept
}
