import { type Fields, isFields } from "../base/fields.ts"
import { COMBINED } from "./impossible-schema.ts"
import { inputAt, type Reference, referencesIn, templateInText } from "./template.ts"

/** The parts of a tool that say which fields its request fills. */
interface FilledTool {
  request: { body?: unknown; query?: Record<string, string> | undefined } | null
}

/** A field of a tool's input that its request fills from the turn, as the path of its names. */
type LockedField = string[]

/**
 * The fields that the model must not fill: in the body and the query, the request takes their values from the turn.
 * Lists are not looked into, because their places have no names.
 */
export function lockedFields({ request }: FilledTool): LockedField[] {
  if (!request) return []
  const body = typeof request.body === "string" ? templateInText(request.body) : request.body
  return [...filledIn(body), ...filledIn(request.query)]
}

function* filledIn(template: unknown, path: LockedField = []): Generator<LockedField> {
  if (isFields(template)) for (const [name, part] of Object.entries(template)) yield* filledIn(part, [...path, name])
  else if (path.length > 0 && referencesIn(template).some(({ kind }) => kind === "turn")) yield path
}

/** The first placeholder of a request that reads a locked field; null if there is none. */
export function readsLocked(tool: FilledTool): string | null {
  const locked = lockedFields(tool)
  const isLocked = (reference: Reference) =>
    reference.kind === "input" && locked.some((field) => field.every((name, at) => reference.path[at] === name))
  const read = referencesIn(tool.request).find(isLocked)
  return read?.kind === "input" ? `{{input.${read.path.join(".")}}}` : null
}

/** The schema that the model sees: without the locked fields. */
export function openSchema(tool: FilledTool & { input_schema: Fields }): Fields {
  return lockedFields(tool).reduce<Fields>((schema, field) => without(schema, field), tool.input_schema)
}

function without(schema: Fields, [name = "", ...rest]: LockedField): Fields {
  const changed = { ...schema }
  const { properties, required } = schema
  if (isFields(properties) && Object.hasOwn(properties, name)) {
    const { [name]: field, ...others } = properties
    if (rest.length === 0) changed.properties = others
    else if (isFields(field)) changed.properties = { ...properties, [name]: without(field, rest) }
  }
  if (rest.length === 0 && Array.isArray(required)) changed.required = required.filter((one) => one !== name)
  for (const key of COMBINED) {
    const branches = schema[key]
    if (!Array.isArray(branches)) continue
    changed[key] = branches.map((branch: unknown) => (isFields(branch) ? without(branch, [name, ...rest]) : branch))
  }
  return changed
}

/** Why an input is refused that fills a locked field; null if it fills none. Written for the model. */
export function lockedFault(tool: FilledTool, input: unknown): string | null {
  const sent = lockedFields(tool).find((field) => inputAt(input, field) !== undefined)
  return sent ? `The field ${sent.join(".")} is filled by the service. Leave it out.` : null
}
