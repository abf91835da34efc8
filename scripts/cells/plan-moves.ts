import { Cell } from "./cell.ts"
import type { Directory } from "./move.ts"

/** A cell with more load than `high` of its capacity gives accounts away until it has `low`. */
const SHARE = { high: 0.7, low: 0.55 }
/** The moves that begin at one time. */
const MOST_MOVES = 100

interface Planned {
  account: number
  from: Cell
  to: Cell
}

/** Chooses the accounts that leave full cells, and adds a cell if no other has room. */
export function planMoves(
  cells: Cell[],
  {
    directory,
    capacity,
    seconds,
    moving,
  }: { directory: Directory; capacity: number; seconds: number; moving: ReadonlySet<number> },
): Planned[] {
  const load = new Map(cells.map((cell) => [cell, sumOf(cell.accepted.values()) / seconds]))
  const loadOf = (cell: Cell) => load.get(cell) ?? 0
  const planned: Planned[] = []
  for (const from of [...cells]) {
    if (loadOf(from) <= SHARE.high * capacity) continue
    // Large accounts first, because then fewer accounts move.
    for (const [account, turns] of [...from.accepted].sort(([a, x], [b, y]) => y - x || a - b)) {
      if (loadOf(from) <= SHARE.low * capacity || planned.length >= MOST_MOVES) break
      // An account that has just moved was counted in both cells.
      if (moving.has(account) || directory.get(account) !== from) continue
      const rate = turns / seconds
      let to = [...cells].filter((cell) => cell !== from).sort((a, b) => loadOf(a) - loadOf(b))[0]
      if (!to || loadOf(to) + rate > SHARE.low * capacity) {
        to = new Cell(cells.length)
        cells.push(to)
      }
      load.set(from, loadOf(from) - rate)
      load.set(to, loadOf(to) + rate)
      planned.push({ account, from, to })
    }
  }
  return planned
}

export const sumOf = (values: Iterable<number>) => [...values].reduce((total, value) => total + value, 0)
