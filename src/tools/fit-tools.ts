import type { EngineName } from "../agent/engine.ts"
import { inDraft2020 } from "../agent-config/draft-2020.ts"
import { COMBINED, impossibleSchema, resolveRef, SCHEMAS_BY_NAME } from "../agent-config/impossible-schema.ts"
import { type Fields, isFields } from "../base/fields.ts"
import type { BoundTool } from "./bound-tool.ts"

/**
 * The limits of a provider for tools, from its API reference. A provider rejects the whole
 * request if one tool exceeds them.
 */
interface Limits {
  maxTools: number
  maxDescription: number
  /** True if names of properties must match PROPERTY_NAME. */
  plainNames: boolean
}

const LIMITS: Record<EngineName, Limits | null> = {
  anthropic: { maxTools: Number.POSITIVE_INFINITY, maxDescription: Number.POSITIVE_INFINITY, plainNames: true },
  openai: { maxTools: 128, maxDescription: 1024, plainNames: false },
  "openai-compatible": { maxTools: 128, maxDescription: 1024, plainNames: false },
  rehearsal: null,
}

const PROPERTY_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
/** Keywords that no provider accepts at the root. */
const NOT_AT_ROOT = new Set<string>([...COMBINED, "not", "enum", "const"])

/**
 * Converts tools to a form that the engine's provider accepts. The converted schema never accepts less than
 * the tool's own schema, which still validates the input. `leftOut`: tools without an acceptable form.
 */
export function fitTools(
  tools: ReadonlyMap<string, BoundTool>,
  engine: EngineName,
): { tools: ReadonlyMap<string, BoundTool>; leftOut: string[] } {
  const limits = LIMITS[engine]
  if (!limits) return { tools, leftOut: [] }
  const fitted = new Map<string, BoundTool>()
  const leftOut: string[] = []
  for (const [name, tool] of tools) {
    const fit = fitted.size < limits.maxTools ? fitTool(tool, limits) : null
    if (fit) fitted.set(name, fit)
    else leftOut.push(name)
  }
  return { tools: fitted, leftOut }
}

/** Returns null if no form is acceptable. */
function fitTool(tool: BoundTool, limits: Limits): BoundTool | null {
  const { description } = tool.spec
  if (impossibleSchema(tool.spec.inputSchema)) return null
  const inputSchema = inDraft2020(tool.spec.inputSchema)
  const names = limits.plainNames ? plainNames(inputSchema) : new Map<string, string>()
  // A reference through a renamed property would be broken.
  if (names.size > 0 && /"\$ref":"#[^"]*\/properties\//.test(JSON.stringify(inputSchema))) return null
  const schema = flatRoot(rewritten(inputSchema, names) as Fields)
  const told = noted(description, inputSchema, schema)
  const spec = { ...tool.spec, description: cut(told, limits.maxDescription), inputSchema: schema }
  if (names.size === 0) return { ...tool, spec }
  const own = new Map([...names].map(([wanted, plain]) => [plain, wanted]))
  const { called } = tool
  return {
    ...tool,
    spec,
    ...(called && { called: (input: unknown) => called(renamed(input, own)) }),
    run: (input, context) => tool.run(renamed(input, own), context),
  }
}

const cut = (text: string, most: number) => (text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`)

/** Adds the keywords that the root lost to the description, if the prompt does not become longer by that. */
function noted(description: string, before: Fields, after: Fields): string {
  const lost = Object.entries(before).filter(([key]) => NOT_AT_ROOT.has(key))
  if (lost.length === 0) return description
  const all = `${description}\nThe input must also match ${JSON.stringify(Object.fromEntries(lost))}`
  const freed = JSON.stringify(before).length - JSON.stringify(after).length
  return all.length - description.length <= freed + 32 ? all : description
}

/** Flattens a schema to an object with `properties`: the branches of combinations at its root are merged. */
function flatRoot(root: Fields): Fields {
  const { properties, required, ...rest } = root
  const merged: Fields = { ...(isFields(properties) ? properties : {}) }
  const needed = new Set(Array.isArray(required) ? (required as string[]) : [])
  for (const key of COMBINED) {
    const given = root[key]
    if (!Array.isArray(given)) continue
    const branches = given.map((branch) => branchOf(root, branch))
    for (const branch of branches) {
      for (const [name, schema] of Object.entries(branch.properties)) {
        const known = Object.hasOwn(merged, name) ? merged[name] : undefined
        // A property that two branches describe accepts both forms.
        if (known === undefined || isEmpty(known)) define(merged, name, schema)
        else if (!isEmpty(schema) && JSON.stringify(known) !== JSON.stringify(schema)) {
          define(merged, name, { anyOf: [known, schema] })
        }
      }
    }
    const lists = branches.map((branch) => branch.required)
    const shared =
      key === "allOf" ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((l) => l.includes(name)))
    for (const name of shared) needed.add(name)
  }
  const kept = Object.entries(rest).filter(([key]) => !NOT_AT_ROOT.has(key))
  // The properties of all branches must stay possible.
  const isCombined = COMBINED.some((key) => key in root)
  const open = isCombined
    ? kept.filter(([key]) => key !== "additionalProperties" && key !== "unevaluatedProperties")
    : kept
  return {
    ...Object.fromEntries(open),
    type: "object",
    properties: merged,
    ...(needed.size > 0 && { required: [...needed] }),
  }
}

const isEmpty = (schema: unknown) => schema === true || (isFields(schema) && Object.keys(schema).length === 0)

const define = (target: Fields, name: string, value: unknown) =>
  Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true })

function branchOf(root: Fields, given: unknown): { properties: Fields; required: string[] } {
  let branch = given
  // A reference may lead to another one. Follow at most eight.
  for (let step = 0; step < 8 && isFields(branch) && typeof branch.$ref === "string"; step++) {
    branch = branch.$ref.startsWith("#/") ? resolveRef(root, branch.$ref) : undefined
  }
  if (!isFields(branch)) return { properties: {}, required: [] }
  const { properties, required } = branch
  return {
    properties: isFields(properties) ? properties : {},
    required: Array.isArray(required) ? (required as string[]) : [],
  }
}

const DATA = new Set(["const", "enum", "default", "examples"])

/** Maps each name of a property that the provider does not accept to an acceptable, unused name. */
function plainNames(schema: Fields): Map<string, string> {
  const all = new Set<string>()
  const collect = (value: unknown) => {
    if (Array.isArray(value)) return value.forEach(collect)
    if (!isFields(value)) return
    for (const [key, part] of Object.entries(value)) {
      if (DATA.has(key)) continue
      if (key === "properties" && isFields(part)) for (const name of Object.keys(part)) all.add(name)
      if (SCHEMAS_BY_NAME.has(key) && isFields(part)) Object.values(part).forEach(collect)
      else collect(part)
    }
  }
  collect(schema)
  const names = new Map<string, string>()
  for (const name of all) {
    if (PROPERTY_NAME.test(name)) continue
    const plain = name.replace(/[^a-zA-Z0-9_.-]/g, "_").slice(0, 56) || "_"
    let free = plain
    for (let number = 2; all.has(free); number++) free = `${plain}_${number}`
    all.add(free)
    names.set(name, free)
  }
  return names
}

/** Renames the properties of a schema. */
function rewritten(schema: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(schema)) return schema.map((part) => rewritten(part, names))
  if (!isFields(schema)) return schema
  const nameOf = (name: string) => names.get(name) ?? name
  const entries = Object.entries(schema).map(([key, part]): [string, unknown] => {
    if (DATA.has(key)) return [key, part]
    if (key === "required" && Array.isArray(part)) return [key, part.map(nameOf)]
    if (!SCHEMAS_BY_NAME.has(key) || !isFields(part)) return [key, rewritten(part, names)]
    const own = Object.entries(part).map(([name, inner]) => [
      key === "properties" ? nameOf(name) : name,
      rewritten(inner, names),
    ])
    return [key, Object.fromEntries(own)]
  })
  return Object.fromEntries(entries)
}

/** Restores the tool's own property names in a call's input. */
function renamed(input: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(input)) return input.map((part) => renamed(part, names))
  // Raw numbers (parseExact) have no prototype, and stay as they are.
  if (!isFields(input) || Object.getPrototypeOf(input) === null) return input
  return Object.fromEntries(
    Object.entries(input).map(([name, part]) => [names.get(name) ?? name, renamed(part, names)]),
  )
}
