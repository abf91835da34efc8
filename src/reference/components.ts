import * as z from "zod"
import type { JsonValue } from "./json-value.ts"
import { opened, withDiscriminators } from "./open-answers.ts"

const PREFIX = "#/components/schemas/"
/** The suffix of a request schema's name, until all names are known. */
const REQUEST = "~request"

/**
 * The schemas of a document. Request schemas are strict and answer schemas are open, so a type used in both may become
 * two components.
 */
export interface Components {
  /** All schemas by name; examples use them to resolve references. */
  schemas: JsonValue
  /** A type as JSON Schema. Each named type inside it becomes a component. */
  schemaOf(type: z.ZodType, io: "input" | "output"): JsonValue
  /**
   * Makes an answer's schema a component. It gets the first name that is unused or already has the same schema. A
   * reference is returned as it is.
   */
  named(schema: JsonValue, names: string[]): JsonValue
  /** The document with the final names, and its components. */
  finish<Document extends object>(document: Document): Document & { schemas: JsonValue }
}

export function createComponents(): Components {
  const schemas: JsonValue = {}
  return {
    schemas,
    schemaOf(type, io) {
      const { definitions, root } = jsonSchema(type, io)
      for (const [name, definition] of Object.entries(definitions)) schemas[name] = definition
      return root
    },
    named(schema, names) {
      if (schema.$ref) return schema
      const name = names.find((one) => schemas[one] === undefined || textOf(schemas[one]) === textOf(schema))
      if (name === undefined)
        throw new Error(`each of the names ${names.join(", ")} already has a different schema: add another name`)
      schemas[name] = schema
      return { $ref: PREFIX + name }
    },
    finish(document) {
      const names = finalNames(schemas)
      const renamed = JSON.parse(
        JSON.stringify({ ...document, schemas }).replace(
          /"(#\/components\/schemas\/)?([\w-]+~request)"/g,
          (_, prefix, name) => JSON.stringify((prefix ?? "") + names.get(name)),
        ),
      )
      withDiscriminators(renamed, renamed.schemas)
      return renamed
    },
  }
}

const textOf = (schema: unknown) => JSON.stringify(schema)

/**
 * A request schema equal to the answer schema of the same name keeps that name. A stricter one gets the suffix
 * `Input`.
 */
function finalNames(schemas: JsonValue): Map<string, string> {
  const requests = Object.keys(schemas).filter((name) => name.endsWith(REQUEST))
  const plain = (name: string) => name.slice(0, -REQUEST.length)
  const strict = new Set<string>()
  const isStrict = (name: string) => {
    const answer = schemas[plain(name)]
    if (answer === undefined) return false
    const text = textOf(schemas[name])
    const isOther = text.replaceAll(`${REQUEST}"`, '"') !== textOf(answer)
    return isOther || [...strict].some((other) => text.includes(`"${PREFIX}${other}"`))
  }
  for (let found = -1; found !== strict.size; ) {
    found = strict.size
    for (const name of requests) if (isStrict(name)) strict.add(name)
  }
  return new Map(requests.map((name) => [name, plain(name) + (strict.has(name) ? "Input" : "")]))
}

function jsonSchema(type: z.ZodType, io: "input" | "output") {
  // Zod writes a named schema as a reference only inside an object. At the root it would write it inline.
  const wrapped = z.toJSONSchema(z.object({ it: type }), { io, unrepresentable: "any", override: described })
  const mark = io === "input" ? REQUEST : ""
  const text = JSON.stringify(wrapped).replace(/"#\/\$defs\/([^"]+)"/g, `"${PREFIX}$1${mark}"`)
  const { $defs = {}, properties } = JSON.parse(text) as { $defs?: Record<string, JsonValue>; properties: JsonValue }
  const shown = (schema: JsonValue) => (io === "input" ? schema : opened(schema))
  const definitions = Object.entries($defs).map(([name, { id: _id, ...schema }]) => [name + mark, shown(schema)])
  return { definitions: Object.fromEntries(definitions) as JsonValue, root: shown(properties.it as JsonValue) }
}

/** Adds defaults and examples of inputs that are parsed from text, which Zod leaves out. Removes patterns of dates. */
function described({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: JsonValue }): void {
  if (typeof jsonSchema.format === "string" && /^(date|time|date-time)$/.test(jsonSchema.format))
    delete jsonSchema.pattern
  const { def } = zodSchema._zod as z.core.$ZodDefault["_zod"]
  if (def.type === "default") jsonSchema.default = def.defaultValue
  const { examples } = z.globalRegistry.get(zodSchema) ?? {}
  if (examples) jsonSchema.examples = examples
}
