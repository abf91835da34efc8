import { depthsOf, type SqlPiece, startsLine } from "./pieces.ts"

/** A range of pieces: `from` is the first, `to` is after the last. */
export interface PieceRange {
  from: number
  to: number
}

const BOUNDARIES = new Set([";", "begin", "then", "else", "loop", "declare"])
const VERBS = new Set(["select", "insert", "update", "delete", "with", "perform"])

/** The bodies of procedures: what is between two `$$`. */
export function bodiesOf(pieces: readonly SqlPiece[]): PieceRange[] {
  const marks = pieces.flatMap(({ text }, at) => (text === "$$" ? [at] : []))
  return marks.flatMap((from, at) => (at % 2 === 0 ? [{ from: from + 1, to: marks[at + 1] ?? pieces.length }] : []))
}

/** The statements of a body that read or change rows, and the queries in brackets that begin a line. */
export function statementsOf(pieces: readonly SqlPiece[], body: PieceRange): PieceRange[] {
  const depths = depthsOf(pieces.slice(body.from, body.to))
  const found: PieceRange[] = []
  let from = body.from
  for (let at = body.from; at <= body.to; at++) {
    const text = pieces[at]?.text ?? ""
    const isEnd = at === body.to || (depths[at - body.from] === 0 && BOUNDARIES.has(text))
    if (!isEnd) continue
    const start = verbIn(pieces, { from, to: at })
    if (start !== null) found.push({ from: start, to: at })
    from = at + 1
  }
  return [...found, ...queriesOf(pieces, body)]
}

/** The place of the verb of a statement: its first word, or after `return query` and `for … in`. */
function verbIn(pieces: readonly SqlPiece[], { from, to }: PieceRange): number | null {
  let at = from
  while (at < to && pieces[at]?.isComment) at++
  const first = pieces[at]?.text
  if (first === "return" && pieces[at + 1]?.text === "query") at += 2
  else if (first === "for") at = pieces.findIndex(({ text }, place) => place > at && text === "in") + 1
  return VERBS.has(pieces[at]?.text ?? "") && at < to ? at : null
}

function queriesOf(pieces: readonly SqlPiece[], body: PieceRange): PieceRange[] {
  const open: number[] = []
  const found: PieceRange[] = []
  for (let at = body.from; at < body.to; at++) {
    const text = pieces[at]?.text
    if (text === "(") open.push(at)
    if (text !== ")") continue
    const from = (open.pop() ?? at) + 1
    if (VERBS.has(pieces[from]?.text ?? "") && startsLine(pieces[from])) found.push({ from, to: at })
  }
  return found
}
