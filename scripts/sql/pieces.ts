/** A word, a literal, a comment or a symbol of SQL, with the white space before it. */
export interface SqlPiece {
  text: string
  gap: string
  isComment: boolean
}

const PIECE =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]?'(?:[^']|'')*'|"[^"]*"|\{\{[^}]*\}\}|\$\w*\$|[a-zA-Z_][\w.]*|\d[\w.]*|:=|::|->>|->|\|\||<>|<=|>=|!=|[^\s]/g

/** Splits a text into pieces, which together with their gaps are the text again. */
export function sqlPieces(sql: string): SqlPiece[] {
  const pieces: SqlPiece[] = []
  let end = 0
  for (const match of sql.matchAll(PIECE)) {
    const [text] = match
    pieces.push({ text, gap: sql.slice(end, match.index), isComment: text.startsWith("--") || text.startsWith("/*") })
    end = match.index + text.length
  }
  pieces.push({ text: "", gap: sql.slice(end), isComment: false })
  return pieces
}

export const sqlText = (pieces: readonly SqlPiece[]) => pieces.map(({ gap, text }) => gap + text).join("")

export const startsLine = (piece: SqlPiece | undefined) => piece === undefined || piece.gap.includes("\n")

/** The number of spaces before the first piece of the line of `at`. */
export function indentOf(pieces: readonly SqlPiece[], at: number): number {
  let first = at
  while (first > 0 && !startsLine(pieces[first])) first--
  const gap = pieces[first]?.gap ?? ""
  return gap.length - gap.lastIndexOf("\n") - 1
}

/** Lets a piece begin a line, unless it does already. */
export function breakBefore(piece: SqlPiece | undefined, indent: number): void {
  if (piece && !startsLine(piece)) piece.gap = `\n${" ".repeat(indent)}`
}

/** The depth of each piece, counted from the first one: brackets, and `case … end`. A bracket has the depth outside. */
export function depthsOf(pieces: readonly SqlPiece[]): number[] {
  let depth = 0
  let cases = 0
  return pieces.map(({ text }, at) => {
    const before = depth
    if (text === "(" || text === "[") depth++
    if (text === ")" || text === "]") depth--
    if (text === "case" && pieces[at - 1]?.text !== "end") {
      depth++
      cases++
    } else if (text === "end" && cases > 0) {
      depth--
      cases--
    }
    return Math.min(before, depth)
  })
}
