import {
  compileSchema,
  draft2020,
  extendDraft,
  type JsonError,
  type JsonSchema,
  type Keyword,
} from "json-schema-library"
import { inDraft2020 } from "../agent-config/draft-2020.ts"
import { compilePattern, patternCost, schemaFault } from "../agent-config/json-schema.ts"

/**
 * The most work of one validation, so that no schema or value blocks the worker. Steps are applied keywords, each
 * weighted by the size of its operands. Pattern steps are RE2 instructions × characters. Each limit is about 50 ms.
 */
const MAX_STEPS = 30_000
const MAX_PATTERN_STEPS = 4_000_000
const PATTERN_STEPS_PER_MICROSECOND = 80
/** A reference is resolved at each use, and may refer to itself. */
const REF_STEPS = 20
/** Valid values of all formats are shorter. Some checks of the library take quadratic time. */
const MAX_FORMATTED = 1024

class TooMuchWork extends Error {}

/** The work left for the current validation. Validations are synchronous, so one variable suffices. */
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

/**
 * Keywords that compare each property or item of the value with a list of the schema, or
 * with the paths already visited.
 */
const COMPARING = new Set(["additionalProperties", "unevaluatedProperties", "unevaluatedItems"])

/** Wraps a keyword of the library so that its work is counted. */
function counted(keyword: Keyword): Keyword {
  const { validate } = keyword
  if (!validate) return keyword
  return {
    ...keyword,
    validate(options) {
      const { node, data, path } = options
      if (keyword.keyword === "$ref") spend(REF_STEPS)
      else if (keyword.keyword !== "enum") spend(sizeOf(node.schema[keyword.keyword]))
      if (COMPARING.has(keyword.keyword)) spend((sizeOf(data) * (sizeOf(node.schema.properties) + path.length)) / 20)
      return validate(options)
    },
  }
}

/** Canonical JSON: equal values give equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null || Array.isArray(part)) return part
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}

const library = new Map(draft2020.keywords.map((keyword) => [keyword.keyword, keyword]))

/** Removes the prototype, so that names such as "constructor" are ordinary properties. */
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
    ...(library.get("enum") as Keyword),
    // The library would compare a value with each one of the list.
    parse(node) {
      if (Array.isArray(node.schema.enum)) node.enum = [new Set(node.schema.enum.map(canonical))]
    },
    validate({ node, data, pointer }) {
      spend(sizeOf(data))
      if ((node.enum as [ReadonlySet<string>])[0].has(canonical(data))) return
      const values = node.schema.enum
      // The error's message lists them.
      spend(sizeOf(values))
      return node.createError("enum-error", { pointer, schema: node.schema, value: data, values })
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

/** Makes a format from a test of the text. */
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
  // Compiling costs about a microsecond per instruction.
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
 * Validates a value against a JSON Schema (2020-12) of at most 64 KiB in bounded time. Returns up to five sentences
 * with JSON Pointers, or null if it is valid. Throws if the schema cannot be used or the check takes too much work.
 * `mostRefs`: the most references of the schema. `times`: how often the usual work the check may take.
 */
export function valueFault(
  schema: Record<string, unknown>,
  value: unknown,
  { mostRefs, times = 1 }: { mostRefs?: number; times?: number } = {},
): string | null {
  const unusable = schemaFault(schema, { ...(mostRefs !== undefined && { mostRefs }) })
  if (unusable) throw new Error(`The schema ${unusable}.`)
  left = { steps: MAX_STEPS * times, patternSteps: MAX_PATTERN_STEPS * times }
  try {
    const { schemaErrors = [], ...node } = compiled(inDraft2020(schema))
    const [invalid] = schemaErrors
    if (invalid) throw new Error(`The schema is invalid at ${pointerOf(invalid)}: ${shortly(invalid.message)}`)
    const { valid, errors } = node.validate(value)
    if (valid) return null
    return errors
      .slice(-5)
      .map((fault) => `${pointerOf(fault)}: ${shortly(fault.message)}`)
      .join(" ")
  } catch (error) {
    if (error instanceof TooMuchWork) throw new Error("It would take too long to check this value against its schema.")
    if (error instanceof RangeError) throw new Error("The schema or the value is nested too deeply.")
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

/** Cut, because the library's messages quote the value. */
const shortly = (message: string) => (message.length > 300 ? `${message.slice(0, 300)}…` : message)
