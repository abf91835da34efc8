import { RE2JS } from "re2js"

/** Each level of references can double the work of a validation. */
const MAX_REFS = 16
const MAX_DEPTH = 64
/** In RE2 instructions. The work for a text is at most the number of instructions times the length of the text. */
const MAX_PATTERN_SIZE = 2_500
/** The maximum patternCost of all patterns of a schema. One unit takes about a microsecond to compile. */
export const MAX_PATTERN_COST = 50_000
const MAX_PATTERN_LENGTH = 4_000

/** Keywords whose values are data, so texts inside them are not patterns. */
const DATA = new Set(["const", "enum", "default", "examples"])
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

/** Compiles a pattern with RE2, whose time is linear in the text for every pattern. Throws if RE2 cannot compile it. */
export function compilePattern(pattern: string): RE2JS {
  if (patternCost(pattern) > MAX_PATTERN_COST) throw new Error("it is too large")
  // RE2 reads \Q as the start of a literal text up to \E. JavaScript reads it as the letter Q.
  if (/(?:^|[^\\])(?:\\\\)*\\Q/.test(pattern)) throw new Error("it has \\Q")
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  if (compiled.programSize() > MAX_PATTERN_SIZE) throw new Error("it is too large")
  return compiled
}

/**
 * The reason why an owner's JSON Schema cannot be used; null if it can. The size of the schema must be checked
 * before. `mostRefs`: the most references that it may have. `budget`: the pattern cost that is left for several schemas
 * together.
 */
export function schemaFault(
  schema: object,
  { mostRefs = MAX_REFS, budget = { cost: MAX_PATTERN_COST } } = {},
): string | null {
  let refs = 0
  const faultOf = (value: unknown, depth: number): string | null => {
    if (typeof value !== "object" || value === null) return null
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`
    for (const [key, part] of Object.entries(value)) {
      if (DATA.has(key)) continue
      if (REFERENCES.has(key) && ++refs > mostRefs) return `has more than ${mostRefs} $ref`
      for (const pattern of patternsIn(key, part)) {
        budget.cost -= patternCost(pattern)
        if (budget.cost < 0) return "has patterns that are too large"
        const fault = patternFault(pattern)
        if (fault) return fault
      }
      const fault = faultOf(part, depth + 1)
      if (fault) return fault
    }
    return null
  }
  return faultOf(schema, 0)
}

function patternsIn(key: string, part: unknown): string[] {
  if (key === "pattern" && typeof part === "string") return [part]
  return key === "patternProperties" && typeof part === "object" && part !== null ? Object.keys(part) : []
}

/** An escape, a character class, a repetition with its bounds, or any other character. */
const TOKENS = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d{1,9})(?:,(\d{0,9}))?\}|./gs

/** The approximate number of RE2 instructions of a pattern. A repetition multiplies the cost of the atom inside it. */
export function patternCost(pattern: string): number {
  if (pattern.length > MAX_PATTERN_LENGTH) return Number.POSITIVE_INFINITY
  // The cost of each open group, and of the atom to which the next repetition would apply.
  const groups = [0]
  let atom = 0
  const add = (cost: number) => groups.push((groups.pop() ?? 0) + cost)
  for (const [token, least, most] of pattern.matchAll(TOKENS)) {
    if (least !== undefined) {
      const times = Math.max(1, Number(most || least))
      add(atom * (times - 1))
      atom *= times
    } else if (token === "(") {
      groups.push(1)
    } else {
      atom = token === ")" && groups.length > 1 ? (groups.pop() ?? 0) + 1 : token.length
      add(atom)
    }
  }
  return groups.reduce((sum, cost) => sum + cost, 0)
}

function patternFault(pattern: string): string | null {
  try {
    compilePattern(pattern)
    return null
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    const shown = pattern.length > 100 ? `${pattern.slice(0, 100)}…` : pattern
    return `has the pattern ${shown}, which RE2 cannot run (no look-arounds, no back-references): ${why.slice(0, 200)}`
  }
}
