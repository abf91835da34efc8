import type { JsonSchema } from "./schema-types.ts"

/** The rules in a schema for a value, besides its type. */
interface Rules {
  words?: unknown[]
  [bound: string]: unknown
}

const BOUNDS = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "maxProperties",
  "default",
] as const

/** True for the bounds of safe integers, which are not a rule of the API. */
const isTrivial = (value: unknown) => Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

/** The enum, bounds and default of a schema. If it has alternatives, each is taken from the first that has it. */
function ownRules(schema: JsonSchema): Rules {
  const all = alternativesOf(schema)
  // A form sends an amount as a number, so the bounds of its decimal string are no rule for it.
  const alternatives = all.some(({ type }) => type === "number") ? all.filter(({ type }) => type !== "string") : all
  const rules: Rules = {}
  const words = alternatives.find((one) => one.enum)?.enum?.filter((word) => word !== null)
  if (words) rules.words = words
  for (const bound of BOUNDS) {
    const value = alternatives.find((one) => one[bound] !== undefined)?.[bound]
    if (value !== undefined && !isTrivial(value)) rules[bound] = value
  }
  rules.default ??= statedDefault(schema)
  return Object.fromEntries(Object.entries(rules).filter(([, value]) => value !== undefined))
}

function alternativesOf(schema: JsonSchema): (JsonSchema & Rules)[] {
  return [schema, ...[...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].flatMap(alternativesOf)] as (JsonSchema &
    Rules)[]
}

/**
 * Reads a default from the description. A default that applies when a turn runs is not in the schema, because generated
 * clients would then require the field.
 */
function statedDefault({ description }: JsonSchema): number | undefined {
  const [, number] = /\bDefault (\d[\d,]*)/.exec(description ?? "") ?? []
  return number === undefined ? undefined : Number(number.replaceAll(",", ""))
}

/** The rules of every field of a schema by its path, such as `a.b`; `tools[]` is each item of a list. */
export function rulesOf(schema: JsonSchema, path = ""): Map<string, Rules> {
  const found = new Map<string, Rules>()
  const own = ownRules(schema)
  if (path !== "" && Object.keys(own).length > 0) found.set(path, own)
  const below = (part: JsonSchema, name: string) => {
    for (const [at, rules] of rulesOf(part, name)) if (!found.has(at)) found.set(at, rules)
  }
  for (const part of [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]) {
    for (const [name, field] of Object.entries(part.properties ?? {})) below(field, path ? `${path}.${name}` : name)
    if (part.items) below(part.items, `${path}[]`)
  }
  return found
}

/** The source of a constant with the rules, one field per line. */
export function constantOf(name: string, rules: Map<string, Rules>): string {
  const lines = [...rules].map(([path, facts]) => {
    const key = /^[A-Za-z_]\w*$/.test(path) ? path : JSON.stringify(path)
    return `  ${key}: { ${Object.entries(facts).map(factOf).join(", ")} },\n`
  })
  return `export const ${name} = {\n${lines.join("")}} as const\n`
}

function factOf([name, value]: [string, unknown]): string {
  const text = Array.isArray(value) ? `[${value.map((one) => JSON.stringify(one)).join(", ")}]` : JSON.stringify(value)
  return `${name}: ${text}`
}
