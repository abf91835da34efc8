import type { Piece } from "./pieces.ts"

const LINES_MAX = 3
/** The header of a procedure describes its effect, inputs and outcomes, so it can be longer. */
const HEADER_LINES_MAX = 10
const COLUMNS_MAX = 120

export interface Problem {
  path: string
  line: number
  rule: string
  message: string
}

/** Joins the pieces of each comment again. */
function commentsOf(pieces: Piece[]): Piece[] {
  const comments: Piece[] = []
  for (const piece of pieces.filter(({ kind }) => kind !== "text")) {
    const last = comments.at(-1)
    if (last?.end === piece.start) last.end = piece.end
    else comments.push({ ...piece })
  }
  return comments
}

/** Reports comments with too many lines or with a line that is too wide. Does not count a tag and the text after it. */
export function sizeProblems(path: string, text: string, pieces: Piece[]): Problem[] {
  return commentsOf(pieces).flatMap(({ kind, start, end }) => {
    const lines = text.slice(start, end).split("\n")
    const tag = lines.findIndex((line) => /^[\s*/-]*@/.test(line))
    const prose = lines.slice(0, tag < 0 ? undefined : tag).filter((line) => /\w/.test(line))
    const max = kind === "header" ? HEADER_LINES_MAX : LINES_MAX
    const line = text.slice(0, start).split("\n").length
    const problem = (rule: string, message: string) => ({ path, line, rule, message })
    return [
      ...(prose.length > max
        ? [problem("comment-lines", `A comment has ${prose.length} lines (at most ${max}).`)]
        : []),
      ...(lines.some((one) => one.length > COLUMNS_MAX)
        ? [problem("comment-width", `A comment is wider than ${COLUMNS_MAX} columns.`)]
        : []),
    ]
  })
}
