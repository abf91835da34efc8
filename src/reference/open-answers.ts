import type { JsonValue } from "./json-value.ts"

const SAMPLES = ["example", "examples", "default", "const", "enum"]

/**
 * The schema of an answer as clients should read it. The API may add fields and enum values without a new version.
 * So no object is closed, and each enum becomes `anyOf` of the values known today and any other string.
 */
export function opened(schema: JsonValue): JsonValue {
  const inside = Object.entries(schema)
    .filter(([name, value]) => name !== "additionalProperties" || value !== false)
    .map(([name, value]) => [name, SAMPLES.includes(name) ? value : openedPart(value, name)])
  const whole = withoutTwins(Object.fromEntries(inside))
  const { enum: values, type, ...rest } = whole
  const words = Array.isArray(values) ? values.filter((value) => value !== null) : []
  if (words.length < 2 || !words.every((word) => typeof word === "string")) return whole
  const isNullable = Array.isArray(type) && type.includes("null")
  const known = { type: "string", enum: words }
  return { ...rest, anyOf: [known, { type: "string" }, ...(isNullable ? [{ type: "null" }] : [])] }
}

/** A request takes an amount as a number or as text. In an answer both are the same number. */
function withoutTwins(schema: JsonValue): JsonValue {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const parts = [...new Map(anyOf.map((part: JsonValue) => [JSON.stringify(part), part])).values()]
  return parts.length === 1 ? { ...parts[0], ...rest } : { ...rest, anyOf: parts }
}

function openedPart(value: unknown, name: string): unknown {
  if (Array.isArray(value)) return value.map((part) => openedPart(part, ""))
  if (typeof value !== "object" || value === null) return value
  if (name !== "properties") return opened(value as JsonValue)
  return Object.fromEntries(Object.entries(value).map(([field, part]) => [field, openedPart(part, "")]))
}

/** The values of an enum in an answer, closed or open; null if the schema is not an enum. */
export function wordsOf(schema: JsonValue): string[] | null {
  if (typeof schema.const === "string") return [schema.const]
  if (Array.isArray(schema.enum) && schema.enum.every((word) => typeof word === "string")) return schema.enum
  const parts = schema.anyOf as JsonValue[] | undefined
  const [known, other] = parts ?? []
  return known && other?.type === "string" && Array.isArray(known.enum) ? (known.enum as string[]) : null
}

/** Adds a discriminator to each union of named objects that one field tells apart. */
export function withDiscriminators(part: unknown, schemas: JsonValue): void {
  if (typeof part !== "object" || part === null) return
  for (const [name, value] of Object.entries(part)) if (!SAMPLES.includes(name)) withDiscriminators(value, schemas)
  const { anyOf } = part as { anyOf?: JsonValue[] }
  const refs = Array.isArray(anyOf) ? anyOf.map(({ $ref }) => $ref) : []
  if (refs.length < 2 || !refs.every((ref) => typeof ref === "string")) return
  const objects = refs.map((ref) => (schemas[ref.split("/").at(-1) ?? ""] ?? {}) as JsonValue)
  const shapes = objects.map(({ properties = {} }) => properties as Record<string, JsonValue>)
  for (const propertyName of Object.keys(shapes[0] ?? {})) {
    const tags = shapes.map((shape) => wordsOf(shape[propertyName] ?? {}))
    const all = tags.flatMap((words) => words ?? [])
    if (tags.some((words) => words === null) || new Set(all).size !== all.length) continue
    const mapping = Object.fromEntries(refs.flatMap((ref, at) => (tags[at] ?? []).map((word) => [word, ref])))
    Object.assign(part, { discriminator: { propertyName, mapping } })
    return
  }
}
