import type { Mutant } from "./mutant.ts"

interface Token {
  text: string
  from: number
  to: number
}

const TOKEN =
  /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$\$|[a-z_]\w*|\d+(?:\.\d+)?|::|:=|=>|<=|>=|<>|\|\||->>|->|#>>|#>|@>|<@|\.\.|\S/gi

const SWAPS: Record<string, string> = {
  "=": "<>",
  "<>": "=",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  and: "or",
  or: "and",
  true: "false",
  false: "true",
  greatest: "least",
  least: "greatest",
  min: "max",
  max: "min",
  desc: "",
}
const SHORTER: [RegExp, string][] = [
  [/\bminute/, "second"],
  [/\bhour/, "minute"],
  [/\bday/, "hour"],
  [/\bmonth/, "day"],
]
/** Tokens after which an operand starts, so that a minus is a sign there. */
const OPENS = new Set(
  "( [ , = <> < <= > >= + - * / := => | || then else when and or not in select return by".split(" "),
)
const STARTS = new Set("; begin then else loop".split(" "))
const DELETABLE = new Set("perform update insert delete select with exit raise return".split(" "))
const ORDER_ENDS = new Set(", ) ; limit for loop offset".split(" "))

/** All mutants of a file of procedures. Some are not valid SQL, which the database reports when they are applied. */
export function mutateSql(file: string, text: string): Mutant[] {
  const tokens = tokensOf(text)
  const mutants: Mutant[] = []
  const add = (from: Token, to: Token, becomes: string) => mutants.push({ file, from: from.from, to: to.to, becomes })
  for (const [start, end, language] of bodies(text, tokens)) {
    for (let at = start; at < end; at++) {
      mutateToken(tokens, at, add)
      mutateClause(tokens, at, add)
      if (language === "plpgsql") mutateStatement(text, tokens, at, add)
    }
  }
  return mutants
}

type Add = (from: Token, to: Token, becomes: string) => void

function mutateToken(tokens: Token[], at: number, add: Add): void {
  const token = tokens[at] as Token
  const [before = "", word = "", after = ""] = [at - 1, at, at + 1].map((place) => wordAt(tokens, place))
  if (/^\d+$/.test(word) && before !== "limit") add(token, token, String(Number(word) + 1))
  for (const [unit, shorter] of SHORTER) {
    if (/^'(\d+ )?(minute|hour|day|month)s?'$/.test(word) && unit.test(word)) {
      add(token, token, word.replace(unit, shorter))
    }
  }
  if (word === "is" && after === "not") add(token, tokens[at + 1] as Token, "is")
  else if (word === "is") add(token, token, "is not")
  if (word === "not" && before !== "is" && after !== "null") add(token, token, "")
  const swapped = SWAPS[word]
  if (swapped === undefined) return
  if ((word === "-" || word === "+" || word === "*" || word === "/") && (OPENS.has(before) || before === ".")) return
  if (word === "and" && isOfBetween(tokens, at)) return
  if ((word === "true" || word === "false") && (before === "is" || before === "not")) return
  if (["greatest", "least", "min", "max"].includes(word) && after !== "(") return
  add(token, token, swapped)
}

/** Mutates locks, limits and orders. */
function mutateClause(tokens: Token[], at: number, add: Add): void {
  const token = tokens[at] as Token
  const word = wordAt(tokens, at)
  if (word === "for") {
    let end = at + 1
    while (["no", "key", "update", "share"].includes(wordAt(tokens, end))) end++
    if (end === at + 1) return
    if (wordAt(tokens, end) === "of") end += 2
    if (wordAt(tokens, end) === "skip") {
      add(tokens[end] as Token, tokens[end + 1] as Token, "")
      end += 2
    }
    add(token, tokens[end - 1] as Token, "")
  }
  if (word === "limit") {
    const end = wordAt(tokens, at + 2) === "(" ? closing(tokens, at + 2) : at + 1
    add(token, tokens[end] as Token, "")
  }
  if (word === "by" && wordAt(tokens, at - 1) === "order") {
    let end = at + 1
    while (!ORDER_ENDS.has(wordAt(tokens, end))) end = wordAt(tokens, end) === "(" ? closing(tokens, end) + 1 : end + 1
    const last = tokens[end - 1] as Token
    if (last.text !== "desc") add(last, last, `${last.text} desc`)
  }
}

/** Removes statements and negates conditions. */
function mutateStatement(text: string, tokens: Token[], at: number, add: Add): void {
  if (!STARTS.has(wordAt(tokens, at - 1)) && wordAt(tokens, at) !== "elsif") return
  const word = wordAt(tokens, at)
  let end = at + 1
  if (word === "if" || word === "elsif") {
    for (let cases = 0; cases > 0 || wordAt(tokens, end) !== "then"; end++) {
      if (wordAt(tokens, end) === "case") cases++
      if (wordAt(tokens, end) === "end") cases--
    }
    const [first, last] = [tokens[at + 1] as Token, tokens[end - 1] as Token]
    add(first, last, `not (${text.slice(first.from, last.to)})`)
    return
  }
  while (wordAt(tokens, end) === "." || wordAt(tokens, end - 1) === ".") end++
  if (!DELETABLE.has(word) && wordAt(tokens, end) !== ":=") return
  while (end < tokens.length && wordAt(tokens, end) !== ";") end++
  add(tokens[at] as Token, tokens[end] as Token, "null;")
}

function tokensOf(text: string): Token[] {
  return [...text.matchAll(TOKEN)]
    .filter(([word]) => !word.startsWith("--"))
    .map(({ 0: word, index }) => ({ text: word, from: index, to: index + word.length }))
}

/** The body of each function: [first token, end, language]. */
function bodies(text: string, tokens: Token[]): [number, number, string][] {
  const marks = tokens.flatMap((token, at) => (token.text === "$$" ? [at] : []))
  return marks.flatMap((start, nth) => {
    if (nth % 2 === 1) return []
    const head = text.slice(0, tokens[start]?.from)
    const [, language = "sql"] = /language (\w+)/.exec(head.slice(head.lastIndexOf("create function"))) ?? []
    let from = start + 1
    if (language === "plpgsql") while (wordAt(tokens, from) !== "begin") from++
    return [[start + 1 === from ? from : from + 1, marks[nth + 1] as number, language]]
  })
}

const wordAt = (tokens: Token[], at: number): string => tokens[at]?.text.toLowerCase() ?? ""

function closing(tokens: Token[], open: number): number {
  let depth = 0
  for (let at = open; ; at++) {
    if (wordAt(tokens, at) === "(") depth++
    if (wordAt(tokens, at) === ")" && --depth === 0) return at
  }
}

function isOfBetween(tokens: Token[], at: number): boolean {
  for (let back = at - 1; back > at - 12; back--) {
    if (wordAt(tokens, back) === "between") return true
    if (["and", "or", ";", "where", "when"].includes(wordAt(tokens, back))) return false
  }
  return false
}
