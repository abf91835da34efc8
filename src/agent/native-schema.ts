import { type Fields, isFields } from "../base/fields.ts"
import { NUMBER_KEYWORDS } from "../base/schema-keywords.ts"

interface Rules {
  /** Keywords that are sent. Others that only limit a value are told in the description. */
  keeps: ReadonlySet<string>
  formats: ReadonlySet<string>
  /** The most properties that are not required, and the most of all. */
  mostOptional: number
  mostProperties: number
  mostValues: number
  mostDepth: number
  mayRecur: boolean
}

const FORMATS = ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"]

/** The schemas that the API references of OpenAI and Anthropic allow. */
const RULES: Record<"openai" | "anthropic", Rules> = {
  openai: {
    keeps: new Set<string>([...NUMBER_KEYWORDS, "pattern", "minItems", "maxItems"]),
    formats: new Set(FORMATS),
    mostOptional: 0,
    mostProperties: 5_000,
    mostValues: 1_000,
    mostDepth: 10,
    mayRecur: true,
  },
  anthropic: {
    keeps: new Set(),
    formats: new Set([...FORMATS, "uri"]),
    mostOptional: 24,
    mostProperties: 5_000,
    mostValues: 5_000,
    mostDepth: 64,
    mayRecur: false,
  },
}

/** Keywords that only limit a value that the other keywords describe. */
const LIMITING = new Set<string>([
  ...NUMBER_KEYWORDS,
  "pattern",
  "format",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
])
/** Keywords that change nothing. */
const NOTES = new Set(["default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$id", "$anchor"])
const STRUCTURE = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "$defs",
  "definitions",
  "title",
  "description",
])

/**
 * A schema in the form that a provider guarantees; null if there is no such form. Every answer that fits it fits the
 * structure of the own schema; limits that it lacks are told in descriptions, and the answer is checked in any case.
 */
export function strictSchema(root: Fields, provider: keyof typeof RULES): Fields | null {
  const rules = RULES[provider]
  let [optional, properties, values] = [0, 0, 0]
  const converted = (schema: unknown, depth: number): Fields => {
    if (!isFields(schema) || depth > rules.mostDepth) throw new NoStrictForm()
    const told: string[] = []
    const made: Fields = {}
    for (const [key, value] of Object.entries(schema)) {
      if (NOTES.has(key)) continue
      if (!STRUCTURE.has(key) && !LIMITING.has(key)) throw new NoStrictForm()
      const isKept = key === "format" ? rules.formats.has(String(value)) : !LIMITING.has(key) || rules.keeps.has(key)
      if (!isKept) told.push(`${key}: ${JSON.stringify(value)}`)
      else if (STRUCTURE.has(key)) Object.assign(made, structureOf(key, value, schema, depth))
      else made[key] = value
    }
    if (told.length > 0) made.description = [made.description, told.join(", ")].filter(Boolean).join("\n")
    return made
  }
  const structureOf = (key: string, value: unknown, schema: Fields, depth: number): Fields => {
    switch (key) {
      case "properties":
        return { properties: propertiesOf(value, schema, depth) }
      case "items":
        return { items: converted(value, depth + 1) }
      case "anyOf":
      case "oneOf":
        return { anyOf: (value as unknown[]).map((part) => converted(part, depth)) }
      case "$defs":
      case "definitions":
        return {
          $defs: Object.fromEntries(Object.entries(value as Fields).map(([n, part]) => [n, converted(part, 1)])),
        }
      case "$ref":
        return { $ref: refOf(value, schema) }
      case "enum":
        values += (value as unknown[]).length
        return { enum: value }
      case "allOf":
        return onlyPart(value, schema, depth)
      case "additionalProperties":
        return closed(value)
      default:
        return { [key]: value }
    }
  }
  const propertiesOf = (value: unknown, schema: Fields, depth: number): Fields => {
    const required = new Set(Array.isArray(schema.required) ? schema.required : [])
    const entries = Object.entries(value as Fields)
    properties += entries.length
    optional += entries.filter(([name]) => !required.has(name)).length
    return Object.fromEntries(entries.map(([name, part]) => [name, converted(part, depth + 1)]))
  }
  /** Pydantic writes a reference with a description as a combination of one schema. */
  const onlyPart = (value: unknown, schema: Fields, depth: number): Fields => {
    const isAlone = Object.keys(schema).every((key) => key === "allOf" || NOTES.has(key) || key === "description")
    const parts = value as unknown[]
    if (!isAlone || parts.length !== 1) throw new NoStrictForm()
    return converted(parts[0], depth)
  }
  try {
    if (!rules.mayRecur && recurs(root)) return null
    const schema = converted(root, 0)
    if (optional > rules.mostOptional || properties > rules.mostProperties || values > rules.mostValues) return null
    return closedObjects(schema)
  } catch (error) {
    if (error instanceof NoStrictForm) return null
    throw error
  }
}

class NoStrictForm extends Error {}

function refOf(value: unknown, schema: Fields): string {
  const hasMore = Object.keys(schema).some((key) => LIMITING.has(key) || (STRUCTURE.has(key) && !BESIDE_REF.has(key)))
  const ref = String(value)
  if (hasMore || !/^#(?:\/(?:\$defs|definitions)\/[^/]+)?$/.test(ref)) throw new NoStrictForm()
  return ref.replace("#/definitions/", "#/$defs/")
}

const BESIDE_REF = new Set(["$ref", "$defs", "definitions", "title", "description"])

function closed(value: unknown): Fields {
  if (value !== false) throw new NoStrictForm()
  return { additionalProperties: false }
}

/** Closes each object. Throws for a part without a type, or for an object that could have any property. */
function closedObjects(schema: Fields): Fields {
  const { properties, items, anyOf, $defs } = schema
  const isTyped = ["type", "anyOf", "enum", "const", "$ref"].some((key) => key in schema)
  const types = Array.isArray(schema.type) ? schema.type : [schema.type]
  if (!isTyped || (types.includes("array") && items === undefined)) throw new NoStrictForm()
  const isObject = types.includes("object")
  if (isObject !== (properties !== undefined) && schema.additionalProperties !== false) throw new NoStrictForm()
  const parts = (given: unknown) =>
    Object.fromEntries(Object.entries(given as Fields).map(([name, part]) => [name, closedObjects(part as Fields)]))
  return {
    ...schema,
    ...(isObject && {
      properties: parts(properties ?? {}),
      required: schema.required ?? [],
      additionalProperties: false,
    }),
    ...(items !== undefined && { items: closedObjects(items as Fields) }),
    ...(anyOf !== undefined && { anyOf: (anyOf as Fields[]).map(closedObjects) }),
    ...($defs !== undefined && { $defs: parts($defs) }),
  }
}

/** True if a reference of a schema leads back to itself. */
function recurs(root: Fields): boolean {
  const defs: Fields = { ...(isFields(root.$defs) && root.$defs), ...(isFields(root.definitions) && root.definitions) }
  const refsIn = (part: unknown): string[] =>
    typeof part !== "object" || part === null
      ? []
      : Object.entries(part).flatMap(([key, value]) =>
          key === "$ref" ? [String(value)] : key === "$defs" || key === "definitions" ? [] : refsIn(value),
        )
  const open = new Set<string>()
  const done = new Set<string>()
  const visit = (ref: string): boolean => {
    if (ref === "#" || open.has(ref)) return true
    if (done.has(ref)) return false
    open.add(ref)
    const found = refsIn(defs[ref.replace(/^#\/[^/]*\//, "")]).some(visit)
    open.delete(ref)
    done.add(ref)
    return found
  }
  return refsIn(root).some(visit)
}
