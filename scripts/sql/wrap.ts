import { depthsOf, type SqlPiece, startsLine } from "./pieces.ts"

interface Lines {
  width: number
  /** Pieces that keep their place at the beginning of a line. */
  kept: Set<SqlPiece>
}

/** Breaks longer lines where the fewest brackets are open, and fills the line after the break. */
export function wrapLines(pieces: SqlPiece[], { width, kept }: Lines): void {
  const depths = depthsOf(pieces)
  const depth = (at: number) => depths[at] ?? 0
  for (let at = 0; at < pieces.length; ) {
    const end = lineEnd(pieces, at)
    const place = widthOf(pieces, at, end) > width ? bestBreak(pieces, { at, end, width, depth }) : null
    if (place === null) {
      at = end
      continue
    }
    const next = pieces[end]
    const isList = pieces[end - 1]?.text === "," && depth(end) === depth(place)
    if (next && isList && !next.isComment && !kept.has(next)) next.gap = " "
    breakAt(pieces, { at, place, depth })
    at = place
  }
}

/** A header's second line begins at the margin. A line that continues an expression keeps the indentation. */
function breakAt(
  pieces: SqlPiece[],
  { at, place, depth }: { at: number; place: number; depth: (at: number) => number },
) {
  const piece = pieces[place] as SqlPiece
  const isKept = isContinued(pieces, at) && depth(place) === depth(at)
  const indent = HEADS.has(piece.text) ? 0 : indentAt(pieces, at) + (isKept ? 0 : 2)
  piece.gap = `\n${" ".repeat(indent)}`
}

const indentAt = (pieces: readonly SqlPiece[], at: number) => {
  const gap = pieces[at]?.gap ?? ""
  return gap.length - gap.lastIndexOf("\n") - 1
}

function lineEnd(pieces: readonly SqlPiece[], at: number): number {
  let end = at + 1
  while (end < pieces.length && !startsLine(pieces[end])) end++
  return end
}

/** The width of a line without the comment at its end. */
function widthOf(pieces: readonly SqlPiece[], at: number, end: number): number {
  const line = pieces.slice(at, end).filter(({ isComment }) => !isComment)
  return line.reduce(
    (sum, { gap, text }, place) => sum + text.length + (place === 0 ? 0 : gap.length),
    indentAt(pieces, at),
  )
}

interface Line {
  at: number
  end: number
  width: number
  depth: (at: number) => number
}

/** The last place within the width at the lowest depth: after a comma, or else before an operator or a word. */
function bestBreak(pieces: readonly SqlPiece[], { at, end, width, depth }: Line): number | null {
  const start = indentAt(pieces, at)
  let best: { place: number; rank: number } | null = null
  let column = start + (pieces[at]?.text.length ?? 0)
  for (let place = at + 1; place < end; place++) {
    const { text = "", gap = "" } = pieces[place] ?? {}
    if (column > width || pieces[place]?.isComment) break
    const isAfterComma = pieces[place - 1]?.text === ","
    const kind = isAfterComma || HEADS.has(text) ? 0 : BEFORE.has(text) ? 1 : OPERATORS.has(text) ? 2 : null
    const rank = 3 * depth(place) + (kind ?? 0)
    const isPlace = kind !== null && gap !== "" && column > start + 12
    if (isPlace && (best === null || rank <= best.rank)) best = { place, rank }
    column += gap.length + text.length
  }
  return best?.place ?? null
}

/** Words that may begin a line. */
const BEFORE = new Set(["and", "or", "||", "when", "else", "from", "where", "order", "group", "returning"])

const OPERATORS = new Set(["+", "<", ">", "<=", ">=", "<>"])

/** Words that begin a line of a procedure's header. */
const HEADS = new Set(["returns", "language"])

/** True if a line continues the expression of the line before. */
const isContinued = (pieces: readonly SqlPiece[], at: number) => {
  const before = pieces[at - 1]
  return before !== undefined && !before.isComment && !ENDS.has(before.text) && !STARTS.has(pieces[at]?.text ?? "")
}

const ENDS = new Set([";", "$$", "begin", "then", "else", "loop", "declare", "("])

/** Words of a statement whose further lines are indented. */
const STARTS = new Set([
  ...["select", "insert", "update", "delete", "with", "perform", "from", "using", "where", "group", "having", "order"],
  ...["returning", "on", "values", "left", "right", "inner", "cross", "join", "union", "if", "elsif", "return"],
])
