import type { AnySchema, Schemas } from "./json-schema.ts"

/** The fields of some resources that answers have shown, by the name of the resource. */
export type Shown = Map<string, Set<string>>

/** The answers of lists, and their parts that are no data. */
const LISTS = ["data", "items"]
const OF_PAGES = ["has_more", "next_cursor", "total", "limit", "offset"]
/** Customers' own JSON: its fields are not noted. */
const OPAQUE = ["input", "metadata"]

/** The name under which fields are noted that no schema has. */
export const UNDOCUMENTED = "undocumented"

/** The schema of an answer without a document: all of its fields are noted. */
export const WITHOUT_SCHEMA: AnySchema = {}

/**
 * Notes the fields of an answer that are not null, by the named schema of the object that has them. A field of an
 * object without a name belongs to the object around it: `usage.model_calls`. Fields of a map are noted as `*`, and the
 * data of an event by the event's type.
 */
export function noteShown(schemas: Schemas, shown: Shown, schema: AnySchema, value: unknown, name: string): void {
  const note = (owner: string, path: string) => {
    const fields = shown.get(owner) ?? new Set()
    shown.set(owner, fields.add(path))
  }
  walk(schema, value, name, "")

  function walk(of: AnySchema, item: unknown, owner: string, path: string): void {
    if (item === null || item === undefined) return
    if (of.$ref) {
      const named = of.$ref.split("/").at(-1) as string
      walk(schemas[named] ?? {}, item, named, "")
      return
    }
    const branches = (of.anyOf ?? of.oneOf ?? []) as AnySchema[]
    if (branches.length > 0) {
      walk(discriminated(of, item) ?? branchOf(branches, item), item, owner, path)
      return
    }
    if (Array.isArray(item)) {
      for (const one of item) walk(of === WITHOUT_SCHEMA ? WITHOUT_SCHEMA : (of.items ?? {}), one, owner, path)
      return
    }
    if (typeof item !== "object") return
    for (const [key, inside] of Object.entries(item)) {
      if (inside === null || inside === undefined) continue
      const property = of === WITHOUT_SCHEMA ? (OPAQUE.includes(key) ? {} : WITHOUT_SCHEMA) : of.properties?.[key]
      const isPage = path === "" && LISTS.some((list) => list in item) && OF_PAGES.some((part) => part in item)
      if (isPage && OF_PAGES.includes(key)) continue
      const isList = isPage && LISTS.includes(key)
      const at = path === "" ? key : `${path}.${key}`
      if (isList) walk(property ?? {}, inside, owner, "")
      else if (property && isEventData(item, key, property)) noteEvent(owner, item as EventLike)
      else if (property) {
        note(owner, at)
        walk(property, inside, owner, at)
      } else if (of.properties && !of.additionalProperties) note(UNDOCUMENTED, `${owner}.${at}`)
      else if (of.additionalProperties === undefined && path !== "") note(owner, path)
      else note(owner, path === "" ? key : `${path}.*`)
    }
  }

  function noteEvent(owner: string, { type, data }: EventLike): void {
    for (const [key, inside] of Object.entries(data)) {
      if (inside !== null) note(`${owner} ${type}`, key)
    }
  }

  function discriminated({ discriminator }: AnySchema, item: unknown): AnySchema | undefined {
    const word = discriminator && (item as Record<string, unknown>)[discriminator.propertyName]
    const $ref = discriminator?.mapping[String(word)]
    return $ref === undefined ? undefined : { $ref }
  }

  function branchOf(branches: AnySchema[], item: unknown): AnySchema {
    const isObject = typeof item === "object" && item !== null && !Array.isArray(item)
    const fits = branches.filter((branch) => {
      const resolved = resolve(branch)
      if (resolved.type === "null") return false
      if (Array.isArray(item)) return resolved.type === "array"
      return !isObject || isPossible(resolved, item as Record<string, unknown>)
    })
    const words = ({ properties = {} }: AnySchema) =>
      Object.values(properties).filter(({ const: word }) => word !== undefined)
    return fits.toSorted((one, other) => words(resolve(other)).length - words(resolve(one)).length)[0] ?? {}
  }

  function resolve(of: AnySchema): AnySchema {
    return of.$ref ? resolve(schemas[of.$ref.split("/").at(-1) as string] ?? {}) : of
  }

  /** True if the object has all required fields, and the constants of the schema. */
  function isPossible(of: AnySchema, item: Record<string, unknown>): boolean {
    const inner = (of.anyOf ?? of.oneOf ?? []) as AnySchema[]
    if (inner.length > 0) return inner.some((branch) => isPossible(resolve(branch), item))
    if ((of.required ?? []).some((key) => !(key in item))) return false
    return Object.entries(of.properties ?? {}).every(([key, property]) => {
      const words = property.const === undefined ? property.enum : [property.const]
      return words === undefined || !(key in item) || words.includes(item[key])
    })
  }
}

interface EventLike {
  type: string
  data: Record<string, unknown>
}

const isEventData = (item: object, key: string, { properties }: AnySchema) =>
  key === "data" && "type" in item && properties === undefined

/** Paths as a text: `usage{model_calls tool_calls}`. A field around others is not repeated. */
export function fieldsText(paths: Iterable<string>): string {
  const top = new Map<string, string[]>()
  for (const path of [...paths].sort()) {
    const [first = "", ...rest] = path.split(".")
    const inside = top.get(first) ?? []
    if (rest.length > 0) inside.push(rest.join("."))
    top.set(first, inside)
  }
  return [...top].map(([key, inside]) => (inside.length > 0 ? `${key}{${fieldsText(inside)}}` : key)).join(" ")
}

/** The paths of such a text. */
export function pathsIn(text: string): string[] {
  const paths: string[] = []
  const around: string[] = []
  for (const [word] of text.matchAll(/[^\s{}]+|[{}]/g)) {
    if (word === "{") around.push((paths.at(-1) as string).split(".").at(-1) as string)
    else if (word === "}") around.pop()
    else paths.push([...around, word].join("."))
  }
  return paths
}
