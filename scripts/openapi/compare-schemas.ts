/** JSON Schema, as far as it is compared. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  format?: string
  pattern?: string
  [keyword: string]: unknown
}

export interface Difference {
  /** The operation and the field. */
  at: string
  /** True if a program that works with the released version can fail. */
  breaks: boolean
  what: string
}

/** The side that writes the value: the caller in a request, the service in a response. */
export type BodySide = "request" | "response"

interface Place {
  side: BodySide
  at: string
  /** The named schemas of both documents. */
  before: Record<string, Schema>
  after: Record<string, Schema>
  /** Pairs that are being compared, because schemas can contain themselves. */
  seen?: Set<string>
}

const BOUNDS = [
  { name: "maximum", narrows: (from: number, to: number) => to < from },
  { name: "maxLength", narrows: (from: number, to: number) => to < from },
  { name: "maxItems", narrows: (from: number, to: number) => to < from },
  { name: "minimum", narrows: (from: number, to: number) => to > from },
  { name: "minLength", narrows: (from: number, to: number) => to > from },
  { name: "minItems", narrows: (from: number, to: number) => to > from },
]

/**
 * The differences between two versions of a value. A request breaks when it accepts less than before. A response breaks
 * when it has less than before, or a type that it could not have.
 */
export function compareSchemas(from: Schema, to: Schema, place: Place): Difference[] {
  const { side, at, seen = new Set() } = place
  const pair = `${side} ${JSON.stringify(from)} ${JSON.stringify(to)}`
  if (seen.has(pair)) return []
  const inside = { ...place, seen: new Set(seen).add(pair) }
  const [old, now] = [resolve(from, place.before), resolve(to, place.after)]
  const found: Difference[] = []
  const note = (breaks: boolean, what: string) => found.push({ at, breaks, what })

  const [oldTypes, nowTypes] = [typesOf(old), typesOf(now)]
  const lost = oldTypes.filter(
    (type) => !nowTypes.includes(type) && !(type === "integer" && nowTypes.includes("number")),
  )
  const gained = nowTypes.filter(
    (type) => !oldTypes.includes(type) && !(type === "integer" && oldTypes.includes("number")),
  )
  if (oldTypes.length > 0 && nowTypes.length > 0) {
    if (lost.length > 0) note(side === "request", `can no longer be ${lost.join(" or ")}`)
    if (gained.length > 0) note(side === "response", `can also be ${gained.join(" or ")}`)
  } else if (oldTypes.length === 0 && nowTypes.length > 0) note(side === "request", `must be ${nowTypes.join(" or ")}`)
  else if (oldTypes.length > 0) note(side === "response", "can be of any type")

  compareValues(old, now, side, note)
  compareBounds(old, now, side, note)
  found.push(...compareProperties(old, now, inside))
  if (old.items && now.items) found.push(...compareSchemas(old.items, now.items, { ...inside, at: `${at}[]` }))
  if (isSchema(old.additionalProperties) && isSchema(now.additionalProperties))
    found.push(...compareSchemas(old.additionalProperties, now.additionalProperties, { ...inside, at: `${at}.*` }))
  found.push(...compareAlternatives(old, now, inside))
  return found
}

const isSchema = (value: unknown): value is Schema => typeof value === "object" && value !== null

/** Follows references, and joins the parts of `allOf`. */
function resolve(schema: Schema, named: Record<string, Schema>): Schema {
  if (schema.$ref) return resolve(named[schema.$ref.split("/").at(-1) ?? ""] ?? {}, named)
  if (!schema.allOf) return schema
  const { allOf, ...joined } = schema
  for (const part of allOf.map((one) => resolve(one, named))) {
    Object.assign(joined, part, {
      properties: { ...joined.properties, ...part.properties },
      required: [...(joined.required ?? []), ...(part.required ?? [])],
    })
  }
  return joined
}

const typesOf = ({ type }: Schema): string[] => (type === undefined ? [] : Array.isArray(type) ? type : [type])

/** Enums of responses are open, so a new value breaks nothing. */
function compareValues(old: Schema, now: Schema, side: BodySide, note: (breaks: boolean, what: string) => void): void {
  const valuesOf = ({ enum: values, const: one }: Schema) => values ?? (one === undefined ? null : [one])
  const [before, after] = [valuesOf(old), valuesOf(now)]
  const lost = before && after ? before.filter((value) => !after.includes(value)) : []
  const gained = before && after ? after.filter((value) => !before.includes(value)) : []
  if (lost.length > 0) note(side === "request", `no longer has the values ${JSON.stringify(lost)}`)
  if (gained.length > 0) note(false, `has the new values ${JSON.stringify(gained)}`)
  if (!before && after) note(side === "request", `accepts only the values ${JSON.stringify(after)}`)
}

function compareBounds(old: Schema, now: Schema, side: BodySide, note: (breaks: boolean, what: string) => void): void {
  for (const { name, narrows } of BOUNDS) {
    const [from, to] = [old[name], now[name]] as (number | undefined)[]
    if (to !== undefined && (from === undefined || narrows(from, to)))
      note(side === "request", `has the ${name} ${to} instead of ${from ?? "none"}`)
    else if (from !== to) note(false, `has the ${name} ${to ?? "none"} instead of ${from}`)
  }
  for (const name of ["pattern", "format"] as const) {
    if (old[name] === now[name]) continue
    // A new pattern may accept more or less, which a comparison cannot know.
    if (side === "request")
      note(now[name] !== undefined, `has the ${name} ${now[name] ?? "none"} instead of ${old[name] ?? "none"}`)
    else if (name === "format")
      note(old[name] !== undefined, `has the format ${now[name] ?? "none"} instead of ${old[name] ?? "none"}`)
  }
}

function compareProperties(old: Schema, now: Schema, place: Place): Difference[] {
  const { side, at } = place
  const [before, after] = [old.properties ?? {}, now.properties ?? {}]
  const [wasRequired, isRequired] = [new Set(old.required), new Set(now.required)]
  const found: Difference[] = []
  const note = (name: string, breaks: boolean, what: string) => found.push({ at: `${at}.${name}`, breaks, what })
  for (const [name, from] of Object.entries(before)) {
    const to = after[name]
    if (!to) {
      note(name, true, "was removed")
      continue
    }
    if (side === "request" && !wasRequired.has(name) && isRequired.has(name)) note(name, true, "is now required")
    if (side === "response" && wasRequired.has(name) && !isRequired.has(name)) note(name, true, "can now be missing")
    found.push(...compareSchemas(from, to, { ...place, at: `${at}.${name}` }))
  }
  for (const name of Object.keys(after)) {
    if (name in before) continue
    const breaks = side === "request" && isRequired.has(name)
    note(name, breaks, breaks ? "is new and required" : "is new")
  }
  return found
}

/** The alternatives of a schema; alternatives of alternatives count as its own. */
const partsOf = ({ anyOf, oneOf }: Schema): Schema[] =>
  (anyOf ?? oneOf ?? []).flatMap((part) => (part.$ref || partsOf(part).length === 0 ? [part] : partsOf(part)))

/** Alternatives are matched by their reference, their type or their tag; else by their position. */
function compareAlternatives(old: Schema, now: Schema, place: Place): Difference[] {
  const { side, at } = place
  const [before, after] = [partsOf(old), partsOf(now)]
  if (before.length === 0 && after.length === 0) return []
  const label = (schema: Schema, index: number) => {
    if (schema.$ref) return schema.$ref.split("/").at(-1) ?? ""
    const tag = Object.values(schema.properties ?? {}).find((one) => one.const !== undefined)?.const
    return tag !== undefined
      ? String(tag)
      : schema.enum
        ? "a listed value"
        : typesOf(schema).join() || `alternative ${index}`
  }
  const others = new Map(after.map((schema, index) => [label(schema, index), schema]))
  const known = new Map(before.map((schema, index) => [label(schema, index), schema]))
  const found: Difference[] = []
  for (const [name, schema] of known) {
    const other = others.get(name)
    if (other) found.push(...compareSchemas(schema, other, place))
    else if (before.length > 0 && after.length > 0)
      found.push({ at, breaks: side === "request", what: `can no longer be ${name}` })
  }
  for (const name of others.keys()) {
    // A new kind of object in a response is announced as a value of its tag, which is open.
    const isNull = name === "null"
    if (!known.has(name) && before.length > 0)
      found.push({ at, breaks: side === "response" && isNull, what: `can also be ${name}` })
  }
  if (before.length === 0) {
    // A request with more alternatives breaks nothing if one of them is the former type.
    const former = side === "request" && after.find((one) => typesOf(one).join() === typesOf(old).join())
    if (former) found.push(...compareSchemas(old, former, place))
    found.push({ at, breaks: !former, what: "has alternatives now" })
  }
  if (after.length === 0) {
    // A response with fewer alternatives breaks nothing if it is one of the former.
    const kept = side === "response" && before.find((one) => typesOf(one).join() === typesOf(now).join())
    if (kept) found.push(...compareSchemas(kept, now, place))
    found.push({ at, breaks: !kept, what: "has no alternatives any more" })
  }
  return found
}
