/** Models and tools may say what PostgreSQL's text type cannot hold (NUL, half a surrogate pair). That must not lose an answer. */
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

/** No real data nests deeper than this. Walking such a value would exhaust the stack, ours or PostgreSQL's. */
export const MAX_NESTING = 100

/** Whether a JSON value nests deeper than MAX_NESTING. Not recursive, so any depth can be checked. */
export function nestsTooDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_NESTING) return true
    level = level.flatMap((item) => (typeof item === "object" && item !== null ? Object.values(item) : []))
  }
  return false
}

/** No real request has more values than this. Each may be a fault, and a validator handles faults one by one. */
export const MAX_VALUES = 50_000

/** What is wrong with the shape of a JSON text, found without parsing it: it nests too deeply, or has too many values. */
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
