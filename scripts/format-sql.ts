import { glob, readFile, writeFile } from "node:fs/promises"
import { breakClauses } from "./sql/clauses.ts"
import { pairColumns } from "./sql/inserts.ts"
import { indentOf, type SqlPiece, sqlPieces, sqlText } from "./sql/pieces.ts"
import { bodiesOf, statementsOf } from "./sql/statements.ts"
import { wrapLines } from "./sql/wrap.ts"

const WIDTH = 120

/**
 * Formats procedures by three rules, and changes only white space: a statement with several lines has one clause a
 * line; line n of the columns of an insert has those of line n of its values; a line has at most 120 characters.
 */
export function formatSql(sql: string): string {
  let text = sql
  for (let pass = 0; pass < MOST_PASSES; pass++) {
    const formatted = formatOnce(text)
    if (formatted === text) break
    text = formatted
  }
  return text
}

/** A second pass sees the lines that the first one made. */
const MOST_PASSES = 4

function formatOnce(sql: string): string {
  const pieces = sqlPieces(sql)
  const paired = new Set<SqlPiece>()
  for (const body of bodiesOf(pieces)) {
    const ranges = statementsOf(pieces, body)
    const isLong = (from: number, to: number) =>
      indentOf(pieces, from) +
        pieces.slice(from, to + 1).reduce((sum, { gap, text }) => sum + gap.length + text.length, 0) >
      WIDTH
    for (const range of ranges) {
      breakClauses(pieces, range, isLong)
      pairColumns(pieces, range, { width: WIDTH, paired })
    }
  }
  wrapLines(pieces, { width: WIDTH, kept: paired })
  return sqlText(pieces)
}

if (import.meta.main) {
  const write = process.argv.includes("--write")
  const wrong: string[] = []
  for await (const path of glob("src/**/*.sql")) {
    const text = await readFile(path, "utf8")
    if (text.startsWith("-- Generated")) continue
    const formatted = formatSql(text)
    if (formatted === text) continue
    wrong.push(path)
    if (write) await writeFile(path, formatted)
  }
  if (wrong.length > 0 && !write) {
    console.error(`These files are not formatted. Run \`npm run sql:format\`.\n${wrong.sort().join("\n")}`)
    process.exitCode = 1
  }
}
