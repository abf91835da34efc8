import { breakBefore, depthsOf, indentOf, type SqlPiece, startsLine } from "./pieces.ts"
import type { PieceRange } from "./statements.ts"

const JOINS = new Set(["left", "right", "inner", "cross", "full", "natural"])
const CLAUSES = new Set(["where", "having", "returning", "union", "except", "intersect", "window"])

/** Lets each clause of a statement with several lines begin a line. Joins are two columns further to the right. */
export function breakClauses(
  pieces: SqlPiece[],
  range: PieceRange,
  isLong: (from: number, to: number) => boolean,
): void {
  const { from, to } = range
  const inside = pieces.slice(from + 1, to)
  if (!inside.some(startsLine) && !isLong(from, to)) return
  const depths = depthsOf(pieces.slice(from, to))
  const heads = pieces.flatMap((_, at) => {
    const isInside = at > from && at < to && depths[at - from] === 0 && !pieces[at - 1]?.isComment
    const kind = isInside ? clauseAt(pieces, at, range) : null
    return kind === null ? [] : [{ at, kind }]
  })
  const first = heads.find(({ at, kind }) => kind === "clause" && startsLine(pieces[at]))
  const base = first ? indentOf(pieces, first.at) : indentOf(pieces, from) + 2
  for (const { at, kind } of heads) breakBefore(pieces[at], kind === "join" ? base + 2 : base)
}

/** Tells whether a clause or a join begins at a piece. */
export function clauseAt(pieces: readonly SqlPiece[], at: number, { from }: PieceRange): "clause" | "join" | null {
  const [before, text = "", next] = [pieces[at - 1]?.text ?? "", pieces[at]?.text, pieces[at + 1]?.text]
  if (at === from + 1) return null
  if (text === "where" && isOfConflict(pieces, at)) return null
  if (CLAUSES.has(text)) return "clause"
  if (text === "from" || text === "using")
    return ["distinct", "delete", "select", "perform"].includes(before) ? null : "clause"
  if ((text === "group" || text === "order") && next === "by") return "clause"
  if (text === "on" && next === "conflict") return "clause"
  if (text === "values" || text === "select") return before === ")" ? "clause" : null
  if (text === "join") return JOINS.has(before) || before === "outer" ? null : "join"
  if (JOINS.has(text) && (next === "join" || next === "outer")) return "join"
  return null
}

/** True for the condition of the index in `on conflict (…) where … do`. */
function isOfConflict(pieces: readonly SqlPiece[], at: number): boolean {
  let open = at - 1
  if (pieces[open]?.text !== ")") return false
  while (open > 0 && pieces[open]?.text !== "(") open--
  return pieces[open - 1]?.text === "conflict"
}
