/** Models and tools may say what PostgreSQL's text cannot hold (NUL, half a surrogate pair): it must not lose an answer. */
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
