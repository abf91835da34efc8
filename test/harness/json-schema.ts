import { dereference, type OutputUnit, type Schema, validate } from "@cfworker/json-schema"
import fc from "fast-check"

export interface AnySchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: AnySchema[]
  oneOf?: AnySchema[]
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  /** A field that no value may have. */
  not?: AnySchema
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  items?: AnySchema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  properties?: Record<string, AnySchema>
  required?: string[]
  additionalProperties?: AnySchema | boolean
  maxProperties?: number
  propertyNames?: AnySchema
}

export type Schemas = Record<string, AnySchema>

/**
 * Meaningful values that a schema cannot describe. The key is a field's name, or a schema and its
 * field: `Tool.name`.
 */
export type Hints = Record<string, fc.Arbitrary<unknown>>

const GENERATED = new Set(
  `$ref type enum const anyOf oneOf format pattern minLength maxLength minimum maximum exclusiveMinimum items minItems maxItems
  uniqueItems   properties required additionalProperties propertyNames maxProperties description default example examples title`.split(
    /\s+/,
  ),
)

/** Values that a schema allows, as often at its bounds as between them. Throws for an unknown keyword. */
export function arbitraryOf(
  schema: AnySchema,
  schemas: Schemas,
  hints: Hints = {},
  schemaName = "",
): fc.Arbitrary<unknown> {
  const inside = (part: AnySchema) => arbitraryOf(part, schemas, hints)
  if (schema.$ref) {
    const name = schema.$ref.replace("#/components/schemas/", "")
    return arbitraryOf(schemas[name] as AnySchema, schemas, hints, name)
  }
  const unknown = Object.keys(schema).filter((keyword) => !GENERATED.has(keyword))
  if (unknown.length > 0)
    throw new Error(`the fuzz knows no ${unknown.join(", ")}: add it to test/harness/json-schema.ts`)
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  const parts = schema.anyOf ?? schema.oneOf
  if (parts) return fc.oneof(...parts.map(inside))
  if (Array.isArray(schema.type)) return fc.oneof(...schema.type.map((type) => inside({ ...schema, type })))
  switch (schema.type) {
    case "string":
      return stringOf(schema)
    case "integer":
    case "number":
      return numberOf(schema)
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array": {
      const most = Math.min(schema.maxItems ?? 3, (schema.minItems ?? 0) + 3)
      const lengths = { minLength: schema.minItems ?? 0, maxLength: most }
      const item = inside(schema.items ?? {})
      return schema.uniqueItems ? fc.uniqueArray(item, lengths) : fc.array(item, lengths)
    }
    case "object":
      return objectOf(schema, schemas, hints, schemaName)
    default:
      return fc.jsonValue({ maxDepth: 3 })
  }
}

function stringOf({ format, pattern, minLength = 0, maxLength = 40 }: AnySchema): fc.Arbitrary<string> {
  if (format === "date-time") {
    const [min, max] = [new Date("1970-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59Z")]
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString())
  }
  // fast-check does not support lookahead, so forbidden values are filtered out afterwards.
  if (pattern) {
    const whole = new RegExp(pattern)
    return fc.stringMatching(new RegExp(pattern.replace(/\(\?![^)]*\)/g, ""))).filter((text) => whole.test(text))
  }
  const short = { minLength, maxLength: Math.min(maxLength, minLength + 24) }
  return fc.oneof(
    { weight: 5, arbitrary: fc.string({ ...short, unit: "grapheme-ascii" }) },
    { weight: 2, arbitrary: fc.string({ ...short, unit: "grapheme" }).filter((text) => text.length <= maxLength) },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(minLength), "x".repeat(Math.min(maxLength, 100_000))) },
  )
}

function numberOf({ type, minimum, maximum = 1e6, exclusiveMinimum }: AnySchema): fc.Arbitrary<number> {
  const least = minimum ?? (exclusiveMinimum === undefined ? -1e6 : exclusiveMinimum + (type === "integer" ? 1 : 1e-4))
  const scale = type === "integer" ? 1 : 1e4
  const between = fc.integer({ min: Math.ceil(least * scale), max: Math.floor(Math.min(maximum, 1e9) * scale) })
  return fc.oneof(
    between.map((value) => value / scale),
    fc.constantFrom(least, maximum),
  )
}

function objectOf(schema: AnySchema, schemas: Schemas, hints: Hints, schemaName: string): fc.Arbitrary<object> {
  const possible = Object.entries(schema.properties ?? {}).filter(([, { not }]) => not === undefined)
  const named = possible.map(([name, property]) => [
    name,
    hints[`${schemaName}.${name}`] ?? hints[name] ?? arbitraryOf(property, schemas, hints),
  ])
  const fields = fc.record(Object.fromEntries(named) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: schema.required ?? [],
    noNullPrototype: true,
  }) as fc.Arbitrary<object>
  if (typeof schema.additionalProperties !== "object") return fields
  const names = schema.propertyNames ? arbitraryOf(schema.propertyNames, schemas) : fc.string({ minLength: 1 })
  const values = arbitraryOf(schema.additionalProperties, schemas, hints)
  const others = fc.dictionary(names as fc.Arbitrary<string>, values, {
    maxKeys: Math.min(schema.maxProperties ?? 4, 4),
    noNullPrototype: true,
  })
  return fc.tuple(others, fields).map(([more, own]) => ({ ...more, ...own }))
}

/** The first violations of a value. */
type StrictCheck = (value: unknown) => string[]

/** Their violations only say that there is one further inside. */
const WRAPPERS = new Set(["$ref", "properties", "additionalProperties", "items", "allOf", "if"])

const HOME = "https://schemas.test/"

/**
 * Checks against schemas of one document (JSON Schema 2020-12) that reject unnamed fields. The components of the
 * document are prepared once, and each other schema at its first use.
 */
export function strictChecks(schemas: Schemas): (schema: AnySchema) => StrictCheck {
  const moved = (part: object) =>
    JSON.parse(JSON.stringify(part).replaceAll("#/components/schemas/", `${HOME}#/$defs/`)) as object
  const lookup = dereference({ $id: HOME, $defs: closed(moved(schemas), true) as Record<string, Schema> })
  const known = new Map<string, StrictCheck>()
  function prepare(schema: AnySchema): StrictCheck {
    const root = closed(moved(schema)) as Schema
    dereference(root, lookup, new URL(`${HOME}${known.size}`))
    return (value) => {
      if (validate(value, root, "2020-12", lookup).valid) return []
      const { errors } = validate(value, root, "2020-12", lookup, false)
      return errors
        .filter(({ keyword }) => !WRAPPERS.has(keyword))
        .map(({ instanceLocation, error }: OutputUnit) => `${instanceLocation}: ${error}`)
    }
  }
  return (schema) => {
    const name = JSON.stringify(schema)
    const check = known.get(name) ?? prepare(schema)
    known.set(name, check)
    return check
  }
}

/** These keywords hold plain values. The validator would read an `id` in them as a schema's id. */
const SAMPLES = ["example", "examples"]

function closed(schema: unknown, isNames = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => closed(one))
  if (typeof schema !== "object" || schema === null) return schema
  const entries = Object.entries(schema).filter(([key]) => isNames || !SAMPLES.includes(key))
  const inside: Record<string, unknown> = Object.fromEntries(
    entries.map(([key, value]) => [key, closed(value, !isNames && (key === "properties" || key === "$defs"))]),
  )
  const { anyOf, discriminator, ...rest } = inside as AnySchema
  const isChoice =
    discriminator && anyOf?.every(({ $ref }) => Object.values(discriminator.mapping).includes($ref ?? ""))
  if (isChoice) return { ...rest, ...chosen(discriminator) }
  // The schema lets clients accept new words in a list, but the service may only return the words that it names.
  const [words, others] = (inside.anyOf ?? []) as AnySchema[]
  if (words?.enum && JSON.stringify(others) === '{"type":"string"}') (inside.anyOf as unknown[]).splice(1, 1)
  const isOpenObject = typeof inside.properties === "object" && inside.type === "object"
  return isOpenObject && inside.additionalProperties === undefined ? { ...inside, additionalProperties: false } : inside
}

/** Only the schema that the discriminator names, so that a violation of it is not one of all the others. */
function chosen({ propertyName, mapping }: NonNullable<AnySchema["discriminator"]>) {
  const refs = [...new Set(Object.values(mapping))]
  const valuesOf = (ref: string) => Object.keys(mapping).filter((value) => mapping[value] === ref)
  const told = (values: string[]) => ({ required: [propertyName], properties: { [propertyName]: { enum: values } } })
  return {
    ...told(Object.keys(mapping)),
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    allOf: refs.map(($ref) => ({ if: told(valuesOf($ref)), then: { $ref } })),
  }
}
