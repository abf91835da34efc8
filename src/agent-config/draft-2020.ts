import { type Fields, isFields } from "../base/fields.ts"
import { SCHEMAS_BY_NAME } from "./impossible-schema.ts"

/** Keywords whose values are data, not schemas. */
const DATA = new Set(["const", "enum", "default", "examples"])
/** In draft 4, these keywords are true or false. */
const EXCLUSIVE = { minimum: "exclusiveMinimum", maximum: "exclusiveMaximum" } as const

/**
 * Translates a JSON Schema of an earlier draft to 2020-12, which providers and our validator expect: lists of `items`,
 * `additionalItems`, `dependencies`, exclusive bounds of draft 4, and `$recursiveRef`. A schema that is 2020-12 already
 * stays the same.
 */
export function inDraft2020(schema: Fields): Fields {
  const { $schema: _draft, ...rest } = translated(schema) as Fields
  return rest
}

function translated(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(translated)
  if (!isFields(schema)) return schema
  const isTuple = Array.isArray(schema.items)
  const entries = Object.entries(schema).flatMap(([key, part]): [string, unknown][] => {
    if (DATA.has(key)) return [[key, part]]
    // Without a list of items, earlier drafts ignore this keyword.
    if (key === "additionalItems") return isTuple ? [["items", translated(part)]] : []
    if (key === "items" && isTuple) return (part as unknown[]).length > 0 ? [["prefixItems", translated(part)]] : []
    if (key === "dependencies" && isFields(part)) return dependent(part)
    if (key === "minimum" || key === "maximum") return schema[EXCLUSIVE[key]] === true ? [] : [[key, part]]
    if (key === "exclusiveMinimum" && typeof part === "boolean") return part ? [[key, schema.minimum]] : []
    if (key === "exclusiveMaximum" && typeof part === "boolean") return part ? [[key, schema.maximum]] : []
    if (key === "$recursiveRef") return [["$ref", part]]
    if (key === "$ref" && typeof part === "string") return [[key, part.replace(/\/items\/(?=\d)/g, "/prefixItems/")]]
    if (!SCHEMAS_BY_NAME.has(key) || !isFields(part)) return [[key, translated(part)]]
    return [[key, Object.fromEntries(Object.entries(part).map(([name, inner]) => [name, translated(inner)]))]]
  })
  return Object.fromEntries(entries)
}

/** A dependency is a list of names, or a schema. */
function dependent(dependencies: Fields): [string, unknown][] {
  const all = Object.entries(dependencies)
  const lists = all.filter(([, part]) => Array.isArray(part))
  const schemas = all.filter(([, part]) => !Array.isArray(part)).map(([name, part]) => [name, translated(part)])
  return [
    ...(lists.length > 0 ? [["dependentRequired", Object.fromEntries(lists)] as [string, unknown]] : []),
    ...(schemas.length > 0 ? [["dependentSchemas", Object.fromEntries(schemas)] as [string, unknown]] : []),
  ]
}
