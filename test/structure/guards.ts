import { type Names, nullParts } from "./nullness.ts"
import { depthOf, splitAt, type Token, textOf, tokensOf } from "./sql-tokens.ts"

/** Tables and composite types of the database, and whether each column may be null. */
export type Tables = Map<string, Map<string, boolean>>

export function tablesOf(sql: string): Tables {
  const tables: Tables = new Map()
  for (const [, table = "", body = ""] of sql.matchAll(
    /create (?:table|type) ([\w.]+) (?:as )?\(\n([\s\S]*?)\n\);?/g,
  )) {
    const columns = new Map<string, boolean>()
    for (const line of body.split("\n")) {
      const [, column, rest = ""] = /^ {2}(\w+) (\w.*?),?$/.exec(line) ?? []
      if (column && !/^(primary|unique|check|foreign|constraint|exclude)$/.test(column)) {
        columns.set(column, !/not null|primary key|generated always/.test(rest))
      }
    }
    tables.set(table, columns)
  }
  return tables
}

export interface Finding {
  place: string
  condition: string
  /** The parts of the condition that may be null. */
  parts: string[]
}

/**
 * The conditions in a file's procedures that refuse something and may be null. A null condition
 * refuses nothing.
 */
export function openGuards(file: string, sql: string, known: { tables: Tables; booleans: Set<string> }): Finding[] {
  const findings: Finding[] = []
  for (const match of sql.matchAll(/create function (?:turnpike\.)?(\w+)([\s\S]*?)\$\$([\s\S]*?)\$\$;/g)) {
    const [whole, name = "", head = "", body = ""] = match
    const tokens = tokensOf(body)
    const names = namesOf(`${head}${body}`, known)
    const line = (at: number) => sql.slice(0, match.index + whole.lastIndexOf(body) + at).split("\n").length
    for (const condition of guardsOf(tokens)) {
      const parts = nullParts(condition, names)
      if (parts.length > 0)
        findings.push({ place: `${file}:${line(condition[0]?.at ?? 0)} ${name}`, condition: textOf(condition), parts })
    }
  }
  return findings
}

const REFUSALS = /\b(refused|outcome) := (?!null)|\braise exception\b|\breturn\s*(;|null\b|false\b|')|\bcontinue\s*;/

/** The conditions of branches that refuse, and of `case` expressions in a reason to refuse. */
function guardsOf(tokens: Token[]): Token[][] {
  const guards: Token[][] = []
  tokens.forEach((token, at) => {
    const before = tokens[at - 1]?.text
    if ((token.text === "if" && before !== "end") || token.text === "elsif") {
      const [condition = [], branch = []] = branchAt(tokens, at + 1)
      if (REFUSALS.test(` ${branch.map(({ text }) => text).join(" ")} `)) guards.push(condition)
    }
    if (token.text === ":=" && /^(refused|outcome)$/.test(before ?? "") && tokens[at + 1]?.text === "case") {
      guards.push(...conditionsOfCase(tokens, at + 2))
    }
    // A procedure that returns the reason for a refusal.
    if (token.text === "return" && tokens[at + 1]?.text === "case") guards.push(...conditionsOfCase(tokens, at + 2))
    if (token.text === "continue" && tokens[at + 1]?.text === "when") guards.push(upTo(tokens, at + 2, ";"))
  })
  return guards
}

function upTo(tokens: Token[], from: number, end: string): Token[] {
  let depth = 0
  let to = from
  for (; to < tokens.length; to++) {
    const token = tokens[to] as Token
    if (depth === 0 && token.text === end) break
    depth += depthOf(token)
  }
  return tokens.slice(from, to)
}

/**
 * The condition that begins at an offset, and the statements of its branch except in nested
 * branches.
 */
function branchAt(tokens: Token[], from: number): [condition: Token[], branch: Token[]] {
  const condition = upTo(tokens, from, "then")
  const branch: Token[] = []
  let depth = 0
  for (let at = from + condition.length + 1; at < tokens.length; at++) {
    const [token, next] = [tokens[at] as Token, tokens[at + 1]?.text]
    if (depth === 0 && (token.text === "elsif" || token.text === "else" || (token.text === "end" && next === "if")))
      break
    if (token.text === "if" && tokens[at - 1]?.text !== "end") depth++
    if (depth === 0 || token.text === ";") branch.push(token)
    if (token.text === "end" && next === "if") depth--
    if (token.text === "case") {
      const inside = upTo(tokens, at + 1, "end")
      branch.push(...inside)
      at += inside.length + 1
    }
  }
  return [condition, branch]
}

function conditionsOfCase(tokens: Token[], from: number): Token[][] {
  const inside = upTo(tokens, from, "end")
  if (inside[0]?.text !== "when") return []
  return splitAt(inside, ({ text }) => text === "when")
    .slice(1)
    .map((part) => splitAt(part, ({ text }) => text === "then")[0] as Token[])
}

const SCALAR = "bigint|integer|smallint|boolean|text|numeric|timestamptz|date|jsonb|double precision"

/**
 * The facts in a procedure's text about its names. An argument may be null if the procedure tests
 * it for null.
 */
function namesOf(text: string, { tables, booleans }: { tables: Tables; booleans: Set<string> }): Names {
  const asked = (name: string) =>
    new RegExp(
      `\\b${name} is (not )?null|coalesce\\(${name}\\b|num_n\\w+\\([^)]*\\b${name}\\b|\\b${name} is (not )?distinct`,
    ).test(text)
  /** A variable with an initial value, or one that is assigned before it is used and never assigned null. */
  const isAlwaysSet = (name: string) => {
    const begins = new RegExp(`\\b${name} (?:${SCALAR})(?:\\[\\])? := (?!null\\b)`).test(text)
    const values = [...text.matchAll(new RegExp(`\\b${name}(?: (?:${SCALAR})(?:\\[\\])?)? :?= ([^;]*);`, "g"))].map(
      ([, value]) => value ?? "",
    )
    const isRead = [...text.matchAll(/\binto (\w+(?:, \w+)*)/g)].some(([, list = ""]) =>
      list.split(", ").includes(name),
    )
    const isCounted = new RegExp(`get diagnostics ${name} = row_count`).test(text)
    return !isRead && (isCounted || begins || (values.length > 0 && values.every((value) => isSet(value))))
  }
  const isSet = (value: string) =>
    /^(array\(|coalesce\(|exists |true|false|\w+ is |row_count)/.test(value) ||
    booleans.has(/^turnpike\.(\w+)\(/.exec(value)?.[1] ?? "")
  const tableOf = (alias: string): Map<string, boolean> | undefined => {
    const declared = new RegExp(`\\b${alias} (?:turnpike\\.)?(\\w+)(?: :=[^;]*)?(?:;|,|\\))`).exec(text)?.[1] ?? ""
    const selected = new RegExp(`\\b(?:from|join|update|into|,) (\\w+) (?:as )?${alias}\\b`).exec(text)?.[1] ?? ""
    return tables.get(declared) ?? tables.get(`turnpike.${declared}`) ?? tables.get(selected)
  }
  const ofAny = (column: string) => {
    const having = [...tables].filter(([, columns]) => columns.has(column))
    // The types of answers repeat columns of tables, and no type declares which columns are not null.
    const ofTables = having.filter(([name]) => !name.startsWith("turnpike."))
    const found = (ofTables.length > 0 ? ofTables : having).map(([, columns]) => columns.get(column))
    return found.length === 0 || found.some(Boolean)
  }
  return {
    isNullable(path) {
      if (path.endsWith("()")) return !booleans.has(path.replace("turnpike.", "").slice(0, -2))
      if (/->|#>/.test(path)) return true
      if (/^p_\w+(\.\w+)?$/.test(path)) return asked(path.replace(".", "\\."))
      const [alias = "", column] = path.replace(/^\((\w+)\)\.|^\(|\)$/g, "$1").split(".")
      if (column === undefined) {
        return !isAlwaysSet(alias)
      }
      return tableOf(alias)?.get(column) ?? ofAny(column)
    },
  }
}
