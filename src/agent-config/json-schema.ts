import { RE2JS } from "re2js"

/** Each level of references can double the work of a validation. */
const MAX_REFS = 16
const MAX_DEPTH = 64
/** Instructions of RE2, whose work for a text is at most their product with its length. */
const MAX_PATTERN_SIZE = 2_500
/** What all patterns of a schema may cost to compile: their lengths × their repetitions, about a microsecond each. */
const MAX_PATTERN_COST = 50_000

/** Data of a schema, whose texts are no patterns. */
const DATA = new Set(["const", "enum", "default", "examples"])
const REFERENCES = new Set(["$ref", "$dynamicRef", "$recursiveRef"])

/** A pattern as RE2 runs it, in time that is linear in the text, whatever the pattern. Throws when RE2 cannot. */
export function compilePattern(pattern: string): RE2JS {
  if (costOf(pattern) > MAX_PATTERN_COST) throw new Error("it is too large")
  const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
  if (compiled.programSize() > MAX_PATTERN_SIZE) throw new Error("it is too large")
  return compiled
}

/** Why a customer's JSON Schema cannot be used here; null when it can. For schemas whose size has been checked. */
export function schemaFault(schema: object): string | null {
  let refs = 0
  let cost = 0
  const faultOf = (value: unknown, depth: number): string | null => {
    if (typeof value !== "object" || value === null) return null
    if (depth > MAX_DEPTH) return `nests deeper than ${MAX_DEPTH} levels`
    for (const [key, part] of Object.entries(value)) {
      if (DATA.has(key)) continue
      if (REFERENCES.has(key) && ++refs > MAX_REFS) return `has more than ${MAX_REFS} $ref`
      for (const pattern of patternsIn(key, part)) {
        cost += costOf(pattern)
        if (cost > MAX_PATTERN_COST) return "has patterns that are too large"
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

function costOf(pattern: string): number {
  let repetitions = 1
  for (const [, least, most] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) repetitions += Number(most || least)
  return pattern.length * repetitions
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
