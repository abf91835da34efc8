import { countInWords } from "../base/in-words.ts"
import type { JsonValue } from "./json-value.ts"
import { escaped, renderInline } from "./markdown.ts"
import { wordsOf } from "./open-answers.ts"

interface Field {
  name: string
  type: string
  required: boolean
  description: string
}

/** The depth to which fields of objects are listed. */
const DEPTH = 3

/** A schema without its reference, and the name of the component. */
function resolve(schema: JsonValue, schemas: JsonValue): { schema: JsonValue; name: string | undefined } {
  if (typeof schema.$ref !== "string") return { schema, name: undefined }
  const name = schema.$ref.split("/").at(-1) ?? ""
  return { schema: schemas[name] as JsonValue, name }
}

const partsOf = (schema: JsonValue) => (schema.anyOf ?? schema.oneOf) as JsonValue[] | undefined

/** The type of a value in words, such as `string or null`. */
function typeOfField(schema: JsonValue, schemas: JsonValue): string {
  const words = wordsOf(schema)
  if (words) return words.map((word) => `"${word}"`).join(", ")
  const { schema: inner, name } = resolve(schema, schemas)
  const parts = partsOf(inner)
  if (parts) return [...new Set(parts.map((part) => typeOfField(part, schemas)))].join(" or ")
  const types = [inner.type].flat().filter((type) => type !== undefined)
  if (types.includes("array")) return `list of ${typeOfField((inner.items ?? {}) as JsonValue, schemas)}`
  if (types.includes("object")) return name ?? "object"
  const bounds = [
    range(inner.minLength, inner.maxLength, " characters"),
    range(inner.minimum, inner.maximum, ""),
    inner.default === undefined || inner.default === null ? "" : `default ${JSON.stringify(inner.default)}`,
  ].filter(Boolean)
  return [types.length > 0 ? types.join(" or ") : "any value", ...bounds].join(", ")
}

/** Bounds in words. Bounds of safe integers say nothing. */
function range(least: unknown, most: unknown, unit: string): string {
  const [from, to] = [least, most].map((bound) =>
    typeof bound === "number" && Math.abs(bound) < Number.MAX_SAFE_INTEGER ? countInWords(bound) : null,
  )
  if (from && to) return `${from}–${to}${unit}`
  if (to) return `at most ${to}${unit}`
  return !from ? "" : `at least ${from}${unit}`
}

/** The objects inside a schema: itself, the items of a list, or the object among alternatives. */
function insideOf(
  schema: JsonValue,
  schemas: JsonValue,
): { schema: JsonValue; name: string | undefined; suffix: string } | null {
  const { schema: inner, name } = resolve(schema, schemas)
  if (inner.properties) return { schema: inner, name, suffix: "" }
  if (inner.items) {
    const found = insideOf(inner.items as JsonValue, schemas)
    return found && { ...found, suffix: `[]${found.suffix}` }
  }
  const objects = (partsOf(inner) ?? []).map((part) => insideOf(part, schemas)).filter((part) => part !== null)
  return objects.length === 1 ? (objects[0] ?? null) : null
}

/** The fields of a schema, with those of objects inside it by their paths. */
export function fieldsOfSchema(schema: JsonValue, schemas: JsonValue, path = "", seen: string[] = []): Field[] {
  const inside = insideOf(schema, schemas)
  if (!inside || seen.length >= DEPTH || (inside.name && seen.includes(inside.name))) return []
  const { properties, required = [] } = inside.schema as { properties: Record<string, JsonValue>; required?: string[] }
  const prefix = path + (path === "" ? inside.suffix.replace(/^\[\]/, "") : inside.suffix)
  return Object.entries(properties).flatMap(([key, field]) => {
    const name = prefix ? `${prefix}.${key}` : key
    const own: Field = {
      name,
      type: typeOfField(field, schemas),
      required: required.includes(key),
      description: String(field.description ?? resolve(field, schemas).schema?.description ?? ""),
    }
    return [own, ...fieldsOfSchema(field, schemas, name, [...seen, inside.name ?? name])]
  })
}

/** Fields as a table. In answers every field is present unless its description says otherwise. */
export function fieldsTable(fields: Field[], { marks }: { marks: boolean }): string {
  if (fields.length === 0) return ""
  const rows = fields.map(({ name, type, required, description }) => {
    const mark = marks && required ? ' <em class="required">required</em>' : ""
    return `<tr><td data-name="Field"><code>${escaped(name)}</code>${mark}</td><td data-name="Type">${escaped(type)}</td><td data-name="Meaning">${renderInline(description)}</td></tr>`
  })
  return `<table class="fields"><thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Meaning</th></tr></thead><tbody>${rows.join("")}</tbody></table>\n`
}
