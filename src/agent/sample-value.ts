import { type Fields, isFields } from "../base/fields.ts"
import { NUMBER_KEYWORDS } from "../base/schema-keywords.ts"

/** The deepest value, and the most schemas that are read. Beyond that, values are as short as possible. */
const MOST_DEPTH = 12
const MOST_SCHEMAS = 5_000

const FORMATS: Record<string, string> = {
  date: "2026-01-15",
  time: "09:30:00Z",
  "date-time": "2026-01-15T09:30:00Z",
  duration: "P1D",
  email: "ada@example.org",
  hostname: "example.org",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "01234567-89ab-4def-8123-456789abcdef",
  uri: "https://example.org/",
  url: "https://example.org/",
  "uri-reference": "/a",
  "json-pointer": "/a",
  regex: "a",
}

/** A value of a schema, always the same. It fits most schemas; patterns and conditions are not read. */
export function sampleOf(root: Fields): unknown {
  let read = 0
  const sample = (given: unknown, depth: number): unknown => {
    if (!isFields(given) || ++read > MOST_SCHEMAS) return null
    const schema = merged(root, given, 0)
    if ("const" in schema) return schema.const
    if (Array.isArray(schema.enum)) return schema.enum[0]
    if ("default" in schema) return schema.default
    const branches = [schema.anyOf, schema.oneOf].find(Array.isArray) as unknown[] | undefined
    if (branches) {
      const { anyOf: _any, oneOf: _one, ...rest } = schema
      // Deep in a schema that contains itself, a branch that ends is better.
      const branch = depth < MOST_DEPTH / 2 ? branches[0] : (branches.find((part) => !leadsOn(part)) ?? branches[0])
      return isFields(branch) ? sample({ allOf: [rest, branch] }, depth) : sample(rest, depth)
    }
    return ofType(schema, depth)
  }
  const ofType = (schema: Fields, depth: number): unknown => {
    switch (typeOf(schema)) {
      case "object":
        return objectOf(schema, depth)
      case "array":
        return arrayOf(schema, depth)
      case "string":
        return textOf(schema)
      case "integer":
      case "number":
        return numberOf(schema)
      case "boolean":
        return true
      default:
        return null
    }
  }
  const objectOf = (schema: Fields, depth: number): Fields => {
    const properties = isFields(schema.properties) ? schema.properties : {}
    const required = Array.isArray(schema.required) ? (schema.required as string[]) : []
    const names = depth < 3 ? [...new Set([...Object.keys(properties), ...required])] : required
    const shown = names.filter((name) => properties[name] !== false)
    const other = isFields(schema.additionalProperties) ? schema.additionalProperties : { type: "string" }
    const made = Object.fromEntries(shown.map((name) => [name, sample(properties[name] ?? other, depth + 1)]))
    const least = typeof schema.minProperties === "number" ? Math.min(schema.minProperties, 100) : 0
    for (let nth = 1; Object.keys(made).length < least; nth++) made[`key${nth}`] = sample(other, depth + 1)
    return made
  }
  const arrayOf = (schema: Fields, depth: number): unknown[] => {
    const first = Array.isArray(schema.prefixItems) ? schema.prefixItems.map((part) => sample(part, depth + 1)) : []
    const least = typeof schema.minItems === "number" ? Math.min(schema.minItems, 100) : 0
    const most = typeof schema.maxItems === "number" ? schema.maxItems : 100
    const wanted = Math.min(most, Math.max(least, isFields(schema.items) && depth < 3 ? 1 : 0))
    const items = schema.contains ?? schema.items
    const own = isFields(items) && Array.isArray(items.enum) ? items.enum : null
    while (first.length < wanted) {
      const value = own
        ? own[first.length % own.length]
        : sample(isFields(items) ? items : { type: "string" }, depth + 1)
      first.push(schema.uniqueItems === true && !own ? distinct(value, first.length) : value)
    }
    return first
  }
  return sample(root, 0)
}

const distinct = (value: unknown, nth: number) =>
  typeof value === "number" ? value + nth : typeof value === "string" && nth > 0 ? `${value}${nth}` : value

const leadsOn = (part: unknown): boolean => /"\$ref"/.test(JSON.stringify(part) ?? "")

/** A schema with its references and the schemas that it combines, as far as they can be merged. */
function merged(root: Fields, schema: Fields, depth: number): Fields {
  const { $ref, allOf, ...own } = schema
  if (depth > 16 || ($ref === undefined && allOf === undefined)) return own
  const parts = [
    ...(typeof $ref === "string" ? [pointedTo(root, $ref)] : []),
    ...(Array.isArray(allOf) ? (allOf as unknown[]) : []),
  ]
  const merging: Fields = { ...own }
  for (const part of parts) {
    if (!isFields(part)) continue
    const other = merged(root, part, depth + 1)
    const properties = { ...(other.properties as Fields), ...(merging.properties as Fields) }
    const required = [other.required, merging.required].flatMap((names) =>
      Array.isArray(names) ? (names as unknown[]) : [],
    )
    Object.assign(merging, { ...other, ...merging })
    if (Object.keys(properties).length > 0) merging.properties = properties
    if (required.length > 0) merging.required = required
  }
  return merging
}

function pointedTo(root: Fields, ref: string): unknown {
  let at: unknown = root
  for (const part of ref.split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~")
    at = typeof at === "object" && at !== null && Object.hasOwn(at, name) ? (at as Fields)[name] : undefined
  }
  return at
}

const KEYWORDS: [type: string, keywords: readonly string[]][] = [
  ["object", ["properties", "required", "additionalProperties", "minProperties", "patternProperties"]],
  ["array", ["items", "prefixItems", "minItems", "contains"]],
  ["string", ["minLength", "maxLength", "format", "pattern"]],
  ["number", NUMBER_KEYWORDS],
]

function typeOf(schema: Fields): string {
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  if (typeof type === "string") return type
  return KEYWORDS.find(([, keywords]) => keywords.some((key) => key in schema))?.[0] ?? "string"
}

function textOf({ format, minLength, maxLength }: Fields): string {
  const known = typeof format === "string" ? FORMATS[format] : undefined
  if (known !== undefined) return known
  const least = typeof minLength === "number" ? Math.min(minLength, 10_000) : 0
  const most = typeof maxLength === "number" ? maxLength : Number.POSITIVE_INFINITY
  return "text".padEnd(least, "x").slice(0, most)
}

function numberOf(schema: Fields): number {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
  const isWhole = typeOf(schema) === "integer"
  const step = typeof multipleOf === "number" ? multipleOf : 1
  const low = [minimum, typeof exclusiveMinimum === "number" ? exclusiveMinimum + (isWhole ? 1 : step / 2) : undefined]
  const high = [maximum, typeof exclusiveMaximum === "number" ? exclusiveMaximum - (isWhole ? 1 : step / 2) : undefined]
  const numbers = (list: unknown[]) => list.filter((one): one is number => typeof one === "number")
  const least = Math.max(...numbers(low), Number.NEGATIVE_INFINITY)
  const most = Math.min(...numbers(high), Number.POSITIVE_INFINITY)
  const wanted = Math.min(most, Math.max(least, 1))
  if (typeof multipleOf !== "number" && !isWhole) return wanted
  const up = Math.ceil(wanted / step) * step
  return up <= most ? up : Math.floor(wanted / step) * step
}
