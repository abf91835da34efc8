import { depthsOf, indentOf, type SqlPiece, startsLine } from "./pieces.ts"
import type { PieceRange } from "./statements.ts"

const MOST_PAIRS = 8

/**
 * Gives line n of the columns of an insert, and line n of its values, the same columns. Adds the pieces that begin such
 * lines to `paired`.
 */
export function pairColumns(
  pieces: SqlPiece[],
  range: PieceRange,
  { width, paired }: { width: number; paired: Set<SqlPiece> },
): void {
  if (pieces[range.from]?.text !== "insert") return
  const columns = listAfter(pieces, range, range.from)
  if (!columns) return
  const values = valuesAfter(pieces, range, columns.close)
  if (!values || values.items.length !== columns.items.length || columns.items.length < 2) return
  const lists = [columns, values]
  if (pieces.slice(columns.open, values.close).some(({ isComment }) => isComment)) return
  const isSpread = ({ open, close }: List) => pieces.slice(open + 1, close + 1).some(startsLine)
  if (!lists.some(isSpread) && lists.every((list) => endOf(pieces, list) <= width)) return
  const indent = indentOf(pieces, range.from) + 4
  for (const list of lists) flatten(pieces, list)
  let taken = [0, 0]
  let pairs = 0
  columns.items.forEach((column, at) => {
    const value = values.items[at] as PieceRange
    const lengths = [column, value].map(({ from, to }) => lengthOf(pieces, from, to) + 2)
    const isFull = pairs === MOST_PAIRS || lengths.some((length, side) => indent + (taken[side] ?? 0) + length > width)
    if (at === 0 || isFull) {
      for (const { from } of [column, value]) {
        const piece = pieces[from] as SqlPiece
        piece.gap = `\n${" ".repeat(indent)}`
        paired.add(piece)
      }
      taken = [0, 0]
      pairs = 0
    }
    taken = taken.map((sum, side) => sum + (lengths[side] ?? 0))
    pairs++
  })
}

interface List {
  /** The place of the bracket, or of the word `select`. */
  open: number
  close: number
  items: PieceRange[]
}

/** Writes a list in one line. */
function flatten(pieces: SqlPiece[], { open, close }: List): void {
  const isBracket = pieces[open]?.text === "("
  for (let at = open + 1; at < (isBracket ? close + 1 : close); at++) {
    const piece = pieces[at] as SqlPiece
    if (startsLine(piece)) piece.gap = isBracket && (at === open + 1 || at === close) ? "" : " "
  }
}

/** The list in the next brackets. */
function listAfter(pieces: readonly SqlPiece[], { to }: PieceRange, from: number): List | null {
  const open = pieces.findIndex(({ text }, at) => at > from && at < to && text === "(")
  if (open < 0 || pieces.slice(from, open).some(({ text }) => text === "select" || text === "values")) return null
  return listAt(pieces, open, to)
}

function listAt(pieces: readonly SqlPiece[], open: number, to: number): List | null {
  const depths = depthsOf(pieces.slice(open, to))
  const close = depths.findIndex((depth, at) => at > 0 && depth === 0)
  return close < 0 ? null : { open, close: open + close, items: itemsOf(pieces, open + 1, open + close) }
}

/** The only row of `values`, or the columns of `select`. */
function valuesAfter(pieces: readonly SqlPiece[], { to }: PieceRange, close: number): List | null {
  const [word, next] = [pieces[close + 1]?.text, pieces[close + 2]?.text]
  if (word === "values" && next === "(") {
    const row = listAt(pieces, close + 2, to)
    return row && pieces[row.close + 1]?.text !== "," ? row : null
  }
  if (word !== "select" || next === "distinct") return null
  const depths = depthsOf(pieces.slice(close + 1, to))
  const from = depths.findIndex((depth, at) => depth === 0 && pieces[close + 1 + at]?.text === "from")
  const end = from < 0 ? to : close + 1 + from
  const items = itemsOf(pieces, close + 2, end)
  return items.some(({ from, to }) => pieces.slice(from, to).some(({ text }) => text.endsWith("*")))
    ? null
    : { open: close + 1, close: end, items }
}

function itemsOf(pieces: readonly SqlPiece[], from: number, to: number): PieceRange[] {
  const depths = depthsOf(pieces.slice(from, to))
  const items: PieceRange[] = []
  let start = from
  for (let at = from; at < to; at++) {
    if (pieces[at]?.text !== "," || depths[at - from] !== 0) continue
    items.push({ from: start, to: at })
    start = at + 1
  }
  return [...items, { from: start, to }]
}

/** The length of some pieces in one line, without the space before them. */
const lengthOf = (pieces: readonly SqlPiece[], from: number, to: number) =>
  pieces.slice(from, to).reduce((sum, { gap, text }, at) => sum + text.length + (at > 0 && gap !== "" ? 1 : 0), 0)

/** The column at which the line of a list ends. */
function endOf(pieces: readonly SqlPiece[], { close }: List): number {
  let first = close
  while (first > 0 && !startsLine(pieces[first])) first--
  return indentOf(pieces, close) + lengthOf(pieces, first, close + 1)
}
