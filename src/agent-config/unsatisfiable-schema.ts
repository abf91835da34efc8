import { type Fields, isFields } from "../base/fields.ts"
import { type SchemaFault, targetOfRef } from "./impossible-schema.ts"

type Path = SchemaFault["path"]

/** The most schemas that are looked at. Beyond that, a schema counts as one that values fit. */
const MOST_VISITS = 2_000
const KINDS = ["string", "number", "boolean", "object", "array", "null"] as const

/**
 * The place of the fault if no value fits a schema; null if that is not certain. It follows only what every value must
 * have: required properties, the first items of lists, and combinations. The schema must be possible by itself
 * (impossibleSchema).
 */
export function unsatisfiable(root: Fields): SchemaFault | null {
  const open = new Set<Fields>()
  let visits = 0
  const faultOf = (schema: unknown, path: Path): SchemaFault | null => {
    if (schema === false) return { path, message: "allows no value" }
    if (!isFields(schema) || ++visits > MOST_VISITS) return null
    if (open.has(schema)) return { path, message: "needs itself without an end, so no value is possible" }
    open.add(schema)
    const fault = ownFault(root, schema, path) ?? innerFault(schema, path)
    open.delete(schema)
    return fault
  }
  const innerFault = (schema: Fields, path: Path): SchemaFault | null => {
    if (typeof schema.$ref === "string") {
      const fault = faultOf(targetOfRef(root, schema.$ref), [...path, "$ref"])
      if (fault) return fault
    }
    for (const [nth, part] of listOf(schema.allOf).entries()) {
      const fault = faultOf(part, [...path, "allOf", nth])
      if (fault) return fault
    }
    for (const key of ["anyOf", "oneOf"] as const) {
      const branches = listOf(schema[key])
      if (branches.length > 0 && branches.every((part, nth) => faultOf(part, [...path, key, nth]))) {
        return { path: [...path, key], message: "has no branch that allows a value" }
      }
    }
    return neededFault(schema, path)
  }
  /** The parts that every value of the schema has. */
  const neededFault = (schema: Fields, path: Path): SchemaFault | null => {
    const { type, properties, required, minItems } = schema
    if (type === "object") {
      for (const name of listOf(required) as string[]) {
        if (!isFields(properties) || !Object.hasOwn(properties, name)) {
          if (schema.additionalProperties !== false || schema.patternProperties !== undefined) continue
          const message = `requires ${JSON.stringify(name)}, but additionalProperties allows no such property`
          return { path: [...path, "required"], message }
        }
        const fault = faultOf(properties[name], [...path, "properties", name])
        if (fault) return fault
      }
    }
    if (type === "array" && typeof minItems === "number" && minItems > 0) {
      const [first] = listOf(schema.prefixItems)
      return first === undefined
        ? faultOf(schema.items, [...path, "items"])
        : faultOf(first, [...path, "prefixItems", 0])
    }
    return null
  }
  return faultOf(root, [])
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** The contradictions between the keywords of one schema. */
function ownFault(root: Fields, schema: Fields, path: Path): SchemaFault | null {
  if (schema.not === true || (isFields(schema.not) && Object.keys(schema.not).length === 0)) {
    return { path: [...path, "not"], message: "excludes every value" }
  }
  const kinds = kindsOf(root, schema, 0)
  if (kinds.size === 0) {
    const at = ["type", "enum", "const", "allOf"].find((key) => key in schema) ?? "$ref"
    return { path: [...path, at], message: "contradicts the other types here, so no value is possible" }
  }
  const { enum: values, const: only } = schema
  if ("const" in schema && Array.isArray(values)) {
    const text = JSON.stringify(only)
    if (!values.some((value) => JSON.stringify(value) === text)) {
      return { path: [...path, "const"], message: "is not one of the values of enum" }
    }
  }
  const [low, high] = [schema.exclusiveMinimum, schema.exclusiveMaximum]
  const isOver = (a: unknown, b: unknown) => typeof a === "number" && typeof b === "number" && a >= b
  if (isNumeric(kinds) && (isOver(low, high) || isOver(low, schema.maximum) || isOver(schema.minimum, high))) {
    const at = typeof low === "number" ? "exclusiveMinimum" : "exclusiveMaximum"
    return { path: [...path, at], message: "leaves no number" }
  }
  return null
}

const isNumeric = (kinds: ReadonlySet<string>) => kinds.size === 1 && kinds.has("number")

/** The kinds of values that a schema allows, as far as types, listed values and combinations say. */
function kindsOf(root: Fields, schema: unknown, depth: number): Set<string> {
  const all = new Set<string>(KINDS)
  if (!isFields(schema) || depth > 8) return all
  const { type, enum: values, $ref } = schema
  const named = listOf(Array.isArray(type) ? type : [type]).map((name) => (name === "integer" ? "number" : name))
  const sets: Set<unknown>[] = []
  if (type !== undefined) sets.push(new Set(named))
  if (Array.isArray(values)) sets.push(new Set(values.map(kindOf)))
  if ("const" in schema) sets.push(new Set([kindOf(schema.const)]))
  if (typeof $ref === "string") sets.push(kindsOf(root, targetOfRef(root, $ref), depth + 1))
  for (const part of listOf(schema.allOf).slice(0, 32)) sets.push(kindsOf(root, part, depth + 1))
  return new Set([...all].filter((kind) => sets.every((set) => set.has(kind))))
}

function kindOf(value: unknown): string {
  if (value === null) return "null"
  return Array.isArray(value) ? "array" : typeof value
}
