/**
 * Removes characters that PostgreSQL's text type cannot store (NUL, half a surrogate pair). Answers
 * of models and tools may contain them.
 */
export function storable(text: string): string {
  return text.replaceAll("\0", "").toWellFormed()
}

/** A JSON value whose texts and keys can be stored. */
export function storableJson(value: unknown): unknown {
  if (typeof value === "string") return storable(value)
  if (Array.isArray(value)) return value.map(storableJson)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [storable(key), storableJson(item)]))
}

/** The deepest nesting that is accepted. Walking a deeper value could exhaust the stack, ours or PostgreSQL's. */
export const MAX_NESTING = 100

/** True if a JSON value nests deeper than MAX_NESTING. Not recursive, so it can check any depth. */
export function nestsTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) return true
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []))
  }
  return false
}

/** The most values that a request may have. Each may be a fault, and a validator handles faults one by one. */
export const MAX_VALUES = 50_000

/** Finds a JSON text that nests too deeply or has too many values, without parsing it. Returns the reason, or null. */
export function shapeFault(text: string): string | null {
  let depth = 0
  let values = 0
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (quoted) {
      if (char === "\\") at++
      else if (char === '"') quoted = false
    } else if (char === '"') quoted = true
    else if (char === "{" || char === "[") {
      if (++depth > MAX_NESTING) return `nests deeper than ${MAX_NESTING} levels`
    } else if (char === "}" || char === "]") depth--
    else if (char === "," && ++values > MAX_VALUES) return `has more than ${MAX_VALUES} values`
  }
  return null
}
