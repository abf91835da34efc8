import {
  compileSchema,
  draft2020,
  extendDraft,
  type JsonError,
  type JsonSchema,
  type Keyword,
} from "json-schema-library"
import { compilePattern, patternCost, schemaFault } from "../agent-config/json-schema.ts"

/**
 * Work that one validation may do, so no schema and no value holds up the worker: keywords that are applied, each with the size of what
 * it compares, and RE2's instructions × characters. Each is at most some 50 ms.
 */
const MAX_STEPS = 30_000
const MAX_PATTERN_STEPS = 4_000_000
const PATTERN_STEPS_PER_MICROSECOND = 80
/** A reference is looked up anew each time, and may lead to itself. */
const REF_STEPS = 20
/** What a format describes is shorter. Some of the library's checks are quadratic. */
const MAX_FORMATTED = 1024

class TooMuchWork extends Error {}

/** Of the validation under way; a validation never waits for anything. */
let left = { steps: 0, patternSteps: 0 }

function spend(steps: number, patternSteps = 0): void {
  left.steps -= steps
  left.patternSteps -= patternSteps
  if (left.steps < 0 || left.patternSteps < 0) throw new TooMuchWork()
}

type Pattern = { test(text: string): boolean }

function patternOf(pattern: string): Pattern {
  const compiled = compilePattern(pattern)
  const size = compiled.programSize()
  return {
    test(text) {
      spend(1, size * (text.length + 1))
      return compiled.test(text)
    },
  }
}

const sizeOf = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 1
  return 1 + (Array.isArray(value) ? value.length : Object.keys(value).length)
}

/** Keywords that look for each property or item of the value in a list of the schema, or among the places looked at so far. */
const COMPARING = new Set(["additionalProperties", "unevaluatedProperties", "unevaluatedItems"])

/** The library's keyword, with its work counted. */
function counted(keyword: Keyword): Keyword {
  const { validate } = keyword
  if (!validate) return keyword
  return {
    ...keyword,
    validate(options) {
      const { node, data, path } = options
      spend(keyword.keyword === "$ref" ? REF_STEPS : sizeOf(node.schema[keyword.keyword]))
      if (COMPARING.has(keyword.keyword)) spend((sizeOf(data) * (sizeOf(node.schema.properties) + path.length)) / 20)
      return validate(options)
    },
  }
}

/** JSON in which equal values are equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const library = new Map(draft2020.keywords.map((keyword) => [keyword.keyword, keyword]))

/** Names such as "constructor" are properties like others. */
const withoutPrototype = <T extends object>(value: T): T => Object.setPrototypeOf(value, null)

const properties = library.get("properties") as Keyword

const ownKeywords: Keyword[] = [
  {
    ...properties,
    parse(node) {
      const faults = properties.parse?.(node)
      if (node.properties) withoutPrototype(node.properties)
      return faults
    },
  },
  {
    ...(library.get("pattern") as Keyword),
    parse(node) {
      if (typeof node.schema.pattern === "string") node.pattern = patternOf(node.schema.pattern) as RegExp
    },
  },
  {
    ...(library.get("patternProperties") as Keyword),
    parse(node) {
      const { patternProperties } = node.schema
      if (typeof patternProperties !== "object" || patternProperties === null) return
      const patterns = Object.keys(patternProperties)
      if (patterns.length === 0) return
      node.patternProperties = patterns.map((name) => ({
        name,
        pattern: patternOf(name) as RegExp,
        node: node.compileSchema(
          patternProperties[name],
          `${node.evaluationPath}/patternProperties/${name}`,
          `${node.schemaLocation}/patternProperties/${name}`,
        ),
      }))
    },
  },
  {
    id: "uniqueItems",
    keyword: "uniqueItems",
    addValidate: ({ schema }) => schema.uniqueItems === true,
    validate({ node, data, pointer }) {
      if (!Array.isArray(data)) return
      spend(data.length)
      if (new Set(data.map(canonical)).size === data.length) return
      return node.createError("unique-items-error", { pointer, schema: node.schema, value: data })
    },
  },
]

type Format = NonNullable<ReturnType<typeof extendDraft>["formats"]>[string]

/** A format that a test of the text decides. */
const tested =
  (format: string, fits: (text: string) => boolean): Format =>
  ({ node, data, pointer }) => {
    if (typeof data !== "string" || fits(data)) return
    const { schema } = node
    return node.createError("format-error", { pointer, schema, value: data }, `Value is not a valid ${format}`)
  }

const shortOnly =
  (format: string, check: Format): Format =>
  (options) => {
    const { data } = options
    if (typeof data !== "string" || data.length <= MAX_FORMATTED) return check(options)
    return tested(format, () => false)(options)
  }

const HOSTNAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i
const isHostname = (text: string) => text.length <= 253 && text.split(".").every((label) => HOSTNAME.test(label))
const isIpv4 = (text: string) => text.length <= 15 && /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/.test(text)
const isIpv6 = (text: string) => text.length <= 45 && /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`)
const isReference = (text: string) => !/[\s<>"{}|\\^`]/.test(text) && URL.canParse(text, "http://base.example/")
const isUri = (text: string) => !/[\s<>"{}|\\^`]/.test(text) && URL.canParse(text)

function isPattern(text: string): boolean {
  // A microsecond for each instruction.
  spend(1, Math.min(patternCost(text) * PATTERN_STEPS_PER_MICROSECOND, MAX_PATTERN_STEPS))
  try {
    compilePattern(text)
    return true
  } catch {
    return false
  }
}

const formats: Record<string, Format> = Object.fromEntries([
  ...Object.entries(draft2020.formats).map(([format, check]) => [format, shortOnly(format, check)]),
  ["hostname", tested("hostname", isHostname)],
  ["ipv4", tested("ipv4", isIpv4)],
  ["ipv6", tested("ipv6", isIpv6)],
  ["uri", tested("uri", isUri)],
  ["url", tested("url", isUri)],
  ["uri-reference", tested("uri-reference", isReference)],
  ["regex", shortOnly("regex", tested("regex", isPattern))],
])

const draft = extendDraft(draft2020, {
  keywords: [...library.values(), ...ownKeywords].map(counted),
  formats,
})

/**
 * What is wrong with a value by a JSON Schema of 2020-12, in up to five sentences with JSON Pointers; null when it is valid. Throws when
 * the schema cannot be used, or when the check would take too much work. Bounded in time for every schema of 64 KiB and every value.
 */
export function valueFault(schema: Record<string, unknown>, value: unknown): string | null {
  const unusable = schemaFault(schema)
  if (unusable) throw new Error(`The schema ${unusable}.`)
  left = { steps: MAX_STEPS, patternSteps: MAX_PATTERN_STEPS }
  try {
    const { schemaErrors = [], ...node } = compiled(schema)
    const [invalid] = schemaErrors
    if (invalid) throw new Error(`The schema is invalid at ${pointerOf(invalid)}: ${shortly(invalid.message)}`)
    const { valid, errors } = node.validate(value)
    if (valid) return null
    return errors
      .slice(-5)
      .map((fault) => `${pointerOf(fault)}: ${shortly(fault.message)}`)
      .join(" ")
  } catch (error) {
    if (error instanceof TooMuchWork) throw new Error("It would take too long to check this value by its schema.")
    if (error instanceof RangeError) throw new Error("The schema or the value nests too deep.")
    throw error
  }
}

function compiled(schema: object) {
  const own = JSON.parse(JSON.stringify(schema), (key, part: unknown) => {
    return key === "properties" && typeof part === "object" && part !== null ? withoutPrototype(part) : part
  }) as JsonSchema
  return compileSchema(own, { drafts: [draft] })
}

const pointerOf = ({ data: { pointer } }: JsonError) => pointer.replace(/^#/, "") || "/"

/** The library's messages quote the value. */
const shortly = (message: string) => (message.length > 300 ? `${message.slice(0, 300)}…` : message)
