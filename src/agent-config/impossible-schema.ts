import { type Fields, isFields } from "../base/fields.ts"
import { NUMBER_KEYWORDS } from "../base/schema-keywords.ts"

/** A place in a JSON Schema that no input can satisfy, or that no validator accepts. */
export interface SchemaFault {
  path: (string | number)[]
  message: string
}

const TYPES = new Set(["string", "number", "integer", "boolean", "object", "array", "null"])
/**
 * Keywords by the type of their value. Other keywords are annotations, or so rare that only the validator checks
 * them.
 */
export const SCHEMAS_BY_NAME = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"])
/** Keywords that combine schemas of the same value. */
export const COMBINED = ["anyOf", "oneOf", "allOf"] as const
/** Keywords whose schemas apply to the same value as the schema around them. */
const AT_SAME_VALUE = [...COMBINED, "not", "if", "then", "else", "dependentSchemas"] as const
const SCHEMAS = ["additionalProperties", "not", "if", "then", "else", "contains", "propertyNames", "items"]
const LISTS_OF_SCHEMAS = new Set<string>([...COMBINED, "prefixItems"])
const COUNTS = new Set(["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"])
const NUMBERS = new Set<string>(NUMBER_KEYWORDS)
const TEXTS = new Set(["pattern", "format", "$ref", "description", "title"])
const BOUNDS = [
  ["minimum", "maximum"],
  ["minLength", "maxLength"],
  ["minItems", "maxItems"],
  ["minProperties", "maxProperties"],
] as const

/** Twice the maximum depth, because most levels have a keyword and a property name. */
const MAX_PATH = 128

const shown = (value: unknown) => (JSON.stringify(value) ?? "nothing").slice(0, 60)

/**
 * The first fault of an owner's schema; null if inputs can be valid. The depth of the schema must be checked
 * before.
 */
export function impossibleSchema(root: Fields): SchemaFault | null {
  const faultOf = (schema: unknown, path: SchemaFault["path"]): SchemaFault | null => {
    if (typeof schema === "boolean") return null
    if (path.length > MAX_PATH) return { path: path.slice(0, 8), message: "nests too deep" }
    if (!isFields(schema)) return { path, message: `must be a schema, not ${shown(schema)}` }
    for (const [key, value] of Object.entries(schema)) {
      const at = [...path, key]
      const message = keywordFault(root, key, value)
      if (message) return { path: at, message }
      for (const [name, part] of partsOf(key, value)) {
        const fault = faultOf(part, name === null ? at : [...at, name])
        if (fault) return fault
      }
    }
    return boundsFault(schema, path)
  }
  return faultOf(root, [])
}

function* partsOf(key: string, value: unknown): Generator<[string | number | null, unknown]> {
  if (SCHEMAS_BY_NAME.has(key)) yield* Object.entries(value as Fields)
  // In earlier drafts, a list in `items` means prefixItems.
  else if (LISTS_OF_SCHEMAS.has(key) || (key === "items" && Array.isArray(value))) yield* (value as unknown[]).entries()
  else if (SCHEMAS.includes(key)) yield [null, value]
}

/** The fault of one keyword's value, without the schemas inside it. */
function keywordFault(root: Fields, key: string, value: unknown): string | null {
  if (key === "type") return typeFault(value)
  if (key === "required") return isNames(value) ? null : `must be a list of property names, not ${shown(value)}`
  if (key === "enum") return Array.isArray(value) && value.length > 0 ? null : "must be a list with at least one value"
  if (key === "$ref" && typeof value === "string") return refFault(root, value)
  if (SCHEMAS_BY_NAME.has(key)) return isFields(value) ? null : `must be an object of schemas, not ${shown(value)}`
  if (LISTS_OF_SCHEMAS.has(key)) {
    return Array.isArray(value) && value.length > 0 ? null : "must be a list with at least one schema"
  }
  if (COUNTS.has(key)) return isCount(value) ? null : `must be a whole number from 0, not ${shown(value)}`
  if (key === "multipleOf" && typeof value === "number" && value <= 0) return `must be above 0, not ${shown(value)}`
  if (key === "dependencies") return dependenciesFault(value)
  if (NUMBERS.has(key)) return typeof value === "number" ? null : `must be a number, not ${shown(value)}`
  if (TEXTS.has(key)) return typeof value === "string" ? null : `must be a text, not ${shown(value)}`
  return null
}

/** A keyword of earlier drafts, which is translated (draft-2020.ts). */
function dependenciesFault(value: unknown): string | null {
  const isFine = (part: unknown) => isNames(part) || isFields(part) || typeof part === "boolean"
  if (isFields(value) && Object.values(value).every(isFine)) return null
  return `must be an object of lists of names or of schemas, not ${shown(value)}`
}

const isNames = (value: unknown) => Array.isArray(value) && value.every((name) => typeof name === "string")
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0

function typeFault(value: unknown): string | null {
  const types = Array.isArray(value) ? value : [value]
  const wrong = types.find((type) => !TYPES.has(type as string))
  if (types.length > 0 && wrong === undefined) return null
  return `must be one of ${[...TYPES].join(", ")}, not ${shown(wrong ?? value)}`
}

function refFault(root: Fields, ref: string): string | null {
  if (isCircle(root, ref)) return `leads back to itself: ${shown(ref)}`
  if (ref === "#") return null
  if (/^#[A-Za-z_]/.test(ref))
    return JSON.stringify(root).includes(`nchor":${JSON.stringify(ref.slice(1))}`) ? null : NOWHERE(ref)
  if (!ref.startsWith("#/")) return `points outside the schema: ${shown(ref)}`
  return resolveRef(root, ref) === undefined ? NOWHERE(ref) : null
}

/** True if a reference leads to itself without a step into the value. No validation of it would end. */
function isCircle(root: Fields, ref: string): boolean {
  const open = new Set<unknown>()
  const done = new Set<unknown>()
  const visit = (schema: unknown): boolean => {
    if (!isFields(schema) || done.has(schema)) return false
    if (open.has(schema)) return true
    open.add(schema)
    const found = atSameValue(root, schema).some(visit)
    open.delete(schema)
    done.add(schema)
    return found
  }
  return visit({ $ref: ref })
}

/** The schemas that apply to the same value as a schema, with the target of its reference. */
export function atSameValue(root: Fields, schema: Fields): unknown[] {
  const { $ref } = schema
  const target = typeof $ref === "string" ? [targetOfRef(root, $ref)] : []
  const inner = AT_SAME_VALUE.flatMap((key) => {
    const part = schema[key]
    return isFields(part) && key === "dependentSchemas" ? Object.values(part) : Array.isArray(part) ? part : [part]
  })
  return [...target, ...inner]
}

export const targetOfRef = (root: Fields, ref: string) =>
  ref === "#" ? root : ref.startsWith("#/") ? resolveRef(root, ref) : anchored(root, ref.slice(1))

/** The schema with an anchor. */
function anchored(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined
  if ("$anchor" in value && value.$anchor === name) return value
  for (const part of Object.values(value)) {
    const found = anchored(part, name)
    if (found !== undefined) return found
  }
  return undefined
}

const NOWHERE = (ref: string) => `points to nothing in the schema: ${shown(ref)}`

/** The target of a local reference; undefined if it does not exist. */
export function resolveRef(root: Fields, ref: string): unknown {
  let at: unknown = root
  for (const part of ref.slice(2).split("/")) {
    const name = decoded(part).replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined
    at = (at as Fields)[name]
  }
  return at
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function boundsFault(schema: Fields, path: SchemaFault["path"]): SchemaFault | null {
  for (const [least, most] of BOUNDS) {
    const [low, high] = [schema[least], schema[most]]
    if (typeof low === "number" && typeof high === "number" && low > high) {
      return { path: [...path, least], message: `is more than ${most}, so no value is possible` }
    }
  }
  const { required, properties } = schema
  if (!Array.isArray(required) || !isFields(properties)) return null
  const never = required.find((name) => Object.hasOwn(properties, name) && properties[name] === false)
  return never === undefined
    ? null
    : { path: [...path, "properties", never], message: "is required, but its schema allows no value" }
}
