import { splitAt, type Token, textOf } from "./sql-tokens.ts"

/** The known facts about names at the place of an expression. */
export interface Names {
  /** True if a column, variable or argument may be null; undefined if that is not known. */
  isNullable(path: string): boolean
}

const ARITHMETIC = new Set(["+", "-", "*", "/", "%", "||", "&"])
const COMPARES = new Set([
  "=",
  "<>",
  "!=",
  "<",
  ">",
  "<=",
  ">=",
  "@>",
  "<@",
  "?",
  "?|",
  "?&",
  "~",
  "~*",
  "!~",
  "!~*",
  "like",
  "ilike",
  "in",
])
/** Functions that return null exactly if an argument is null, so they are as nullable as their arguments. */
const STRICT = new Set(
  `abs cardinality ceil char_length date_trunc decode floor jsonb_array_length jsonb_typeof left length lower octet_length position
   regexp_replace replace right round split_part starts_with strpos substr to_jsonb trim upper extract`.split(/\s+/),
)
const NEVER = new Set(
  "exists count num_nonnulls num_nulls array now random gen_random_uuid concat jsonb_build_object jsonb_build_array row interval pg_try_advisory_xact_lock".split(
    " ",
  ),
)
/** Null only if all arguments are. */
const ANY = new Set(["coalesce", "greatest", "least"])

/**
 * The parts of a condition that may be null, so that the whole condition may be null. A name that
 * the condition tests with `is not null and` or `is null or` counts as not null after that.
 */
export function nullParts(condition: Token[], names: Names): string[] {
  const disjuncts = splitAt(condition, isWord("or"))
  if (disjuncts.length > 1) return partsBeside(disjuncts, names, "is null")
  const conjuncts = conjunctsOf(condition)
  if (conjuncts.length > 1) return partsBeside(conjuncts, names, "is not null")
  const [first, ...rest] = condition
  if (first?.text === "not") return nullParts(rest, names)
  if (isWrapped(condition) && rest[0]?.text !== "select") return nullParts(condition.slice(1, -1), names)
  return mayBeNull(condition, names) ? [textOf(condition)] : []
}

const isWord = (text: string) => (token: Token) => token.kind === "word" && token.text === text

/** `between x and y` contains its own `and`. */
function conjunctsOf(condition: Token[]): Token[][] {
  let between = false
  return splitAt(condition, (token) => {
    if (token.text === "between") between = true
    if (token.text !== "and") return false
    const splits = !between
    between = false
    return splits
  })
}

function partsBeside(parts: Token[][], names: Names, given: "is null" | "is not null"): string[] {
  const known = new Set<string>()
  return parts.flatMap((part) => {
    const beside: Names = { isNullable: (path) => !known.has(path) && names.isNullable(path) }
    const found = nullParts(part, beside)
    const text = textOf(part)
    if (text.endsWith(` ${given}`)) known.add(text.slice(0, -given.length - 1))
    // Everything that is true so far was not null.
    if (given === "is not null")
      for (const name of text.match(/^[\w.]+(?= (=|>|<|>=|<=|<>|is true))/) ?? []) known.add(name)
    return found
  })
}

function isWrapped(tokens: Token[]): boolean {
  if (tokens[0]?.text !== "(" || tokens.at(-1)?.text !== ")") return false
  let depth = 0
  return tokens.every(({ text }, at) => {
    depth += text === "(" ? 1 : text === ")" ? -1 : 0
    return depth > 0 || at === tokens.length - 1
  })
}

/** True if a value may be null. */
export function mayBeNull(given: Token[], names: Names): boolean {
  if (splitAt(given, isWord("is")).length > 1) return false
  const tokens = withoutCast(given)
  const [first, second] = tokens
  if (!first) return false
  if (isWrapped(tokens)) {
    return second?.text === "select"
      ? selectMayBeNull(tokens.slice(2, -1), names)
      : mayBeNull(tokens.slice(1, -1), names)
  }
  if (first.text === "case" && tokens.at(-1)?.text === "end") return caseMayBeNull(tokens.slice(1, -1), names)
  if (first.text === "not") return mayBeNull(tokens.slice(1), names)
  for (const isSplit of [isWord("or"), isWord("and")]) {
    const parts = splitAt(tokens, isSplit)
    if (parts.length > 1) return nullParts(tokens, names).length > 0
  }
  const compared = splitAt(tokens, ({ text }) => COMPARES.has(text))
  if (compared.length > 1)
    return compared.some((part) =>
      operandMayBeNull(
        part.filter(({ text }) => text !== "not"),
        names,
      ),
    )
  if (splitAt(tokens, ({ text }) => ["->", "->>", "#>", "#>>"].includes(text)).length > 1)
    return names.isNullable(textOf(tokens))
  const summed = splitAt(tokens, ({ text }) => ARITHMETIC.has(text))
  if (summed.length > 1) return summed.some((part) => mayBeNull(part, names))
  if (first.kind === "string" || first.kind === "number") return false
  if (["true", "false", "found", "interval", "timestamptz", "current_user"].includes(first.text)) return false
  if (first.text === "array") return false
  return callMayBeNull(tokens, names)
}

/** The right side of `= any (…)` and of `in (…)` is a list. */
function operandMayBeNull(tokens: Token[], names: Names): boolean {
  const [first, second] = tokens
  if (first?.text === "any" || first?.text === "all") return mayBeNull(tokens.slice(1), names)
  if (first?.text === "(" && second?.text !== "select") {
    return splitAt(tokens.slice(1, -1), ({ text }) => text === ",").some((one) => mayBeNull(one, names))
  }
  if (first?.text === "between") return mayBeNull(tokens.slice(1), names)
  return mayBeNull(tokens, names)
}

function withoutCast(tokens: Token[]): Token[] {
  const at = splitAt(tokens, ({ text }) => text === "::")
  return at.length > 1 &&
    at.slice(1).every((part) => part.every(({ kind, text }) => kind === "word" || "[].()".includes(text)))
    ? (at[0] as Token[])
    : tokens
}

function selectMayBeNull(tokens: Token[], names: Names): boolean {
  const [value = [], ...rest] = splitAt(tokens, isWord("from"))
  // Without a row there is no value, except for an aggregate.
  const [first] = value
  if (first?.text === "count") return false
  if (first?.text === "coalesce")
    return rest.length > 0 && !/\b(sum|max|min|jsonb_agg|array_agg|bool_or|count)\(/.test(textOf(value))
  return rest.length > 0 || mayBeNull(value, names)
}

function caseMayBeNull(tokens: Token[], names: Names): boolean {
  const otherwise = splitAt(tokens, isWord("else"))
  if (otherwise.length < 2) return true
  const values = splitAt(otherwise[0] as Token[], isWord("then"))
    .slice(1)
    .map((part) => splitAt(part, isWord("when"))[0] as Token[])
  return [...values, otherwise[1] as Token[]].some((value) => mayBeNull(value, names))
}

function callMayBeNull(tokens: Token[], names: Names): boolean {
  const open = tokens.findIndex(({ text }) => text === "(")
  if (open < 0) return names.isNullable(textOf(tokens))
  const name = textOf(tokens.slice(0, open))
  if (NEVER.has(name)) return false
  const given = splitAt(tokens.slice(open + 1, -1), ({ text }) => text === ",")
  if (ANY.has(name)) return given.every((one) => mayBeNull(one, names))
  if (STRICT.has(name))
    return given.some((one) =>
      mayBeNull(
        one.filter(({ text }) => text !== "from"),
        names,
      ),
    )
  return names.isNullable(`${name}()`)
}
