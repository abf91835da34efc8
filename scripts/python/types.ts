import { pythonLiteral } from "../../src/reference/python-sample.ts"
import { type JsonSchema, nameOf, withoutOthers } from "../schema-types.ts"
import { pascal } from "./text.ts"

/** Responses become dataclasses, and the objects of requests become typed dictionaries. */
export type Side = "answer" | "request"

/** A named type of Python. */
export interface Declared {
  name: string
  side: Side
  schema: JsonSchema
  /** Its place in the object that has a name, such as `.price_usd_per_million_tokens`. */
  path: string
}

const REF = "#/components/schemas/"

/** Amounts of money are decimals. */
const isAmount = (path: string) => /(^|[._])usd([._]|$)/.test(path)

/** Finds the types that operations use, and names the type of each schema. */
export class PythonTypes {
  readonly #schemas: Record<string, JsonSchema>
  /** In the order in which they were found. */
  readonly declared = new Map<string, Declared>()
  readonly unions = new Map<string, { members: string[]; description: string | undefined }>()

  constructor(schemas: Record<string, JsonSchema>) {
    this.#schemas = schemas
  }

  schemaOf(schema: JsonSchema): JsonSchema {
    return schema.$ref ? (this.#schemas[schema.$ref.slice(REF.length)] as JsonSchema) : schema
  }

  /** The type of a schema. `owner` names an object that has no name, and `path` its place. */
  typeOf(schema: JsonSchema, side: Side, owner: string, path = ""): string {
    if (schema.$ref) return this.#named(schema.$ref.slice(REF.length), side)
    if (schema.const !== undefined) return `Literal[${pythonLiteral(schema.const, "")}]`
    if (schema.enum) return `Literal[${schema.enum.map((value) => pythonLiteral(value, "")).join(", ")}]`
    const joined = schema.anyOf ?? schema.oneOf
    if (joined) return this.#union(joined, side, owner, path)
    if (Array.isArray(schema.type))
      return [...new Set(schema.type.map((type) => this.typeOf({ ...schema, type }, side, owner, path)))].join(" | ")
    const isAnswer = side === "answer"
    switch (schema.type) {
      case "string":
        return schema.format === "date-time" ? (isAnswer ? "datetime" : "datetime | str") : "str"
      case "integer":
        return "int"
      case "number":
        return isAmount(path) ? (isAnswer ? "Decimal" : "Decimal | float") : "float"
      case "boolean":
        return "bool"
      case "null":
        return "None"
      case "array": {
        const item = this.typeOf(schema.items ?? {}, side, owner, path)
        return isAnswer ? `list[${item}]` : `Sequence[${item}]`
      }
      case "object":
        return this.#object(schema, side, owner, path)
      case undefined:
        return "Any"
      default:
        throw new Error(`Python has no type for ${JSON.stringify(schema)}`)
    }
  }

  #union(members: JsonSchema[], side: Side, owner: string, path: string): string {
    const kept = withoutOthers(members)
    const isOneObject = kept.filter(({ properties }) => properties).length < 2
    const nameFor = (member: JsonSchema) => (isOneObject ? owner : `${owner}${wordOf(member)}`)
    return [...new Set(kept.map((member) => this.typeOf(member, side, nameFor(member), path)))].join(" | ")
  }

  #object(schema: JsonSchema, side: Side, owner: string, path: string): string {
    if (schema.properties && Object.keys(schema.properties).length > 0) return this.#declare(owner, side, schema, path)
    const value =
      typeof schema.additionalProperties === "object"
        ? this.typeOf(schema.additionalProperties, side, owner, path)
        : "Any"
    return side === "answer" ? `dict[str, ${value}]` : `Mapping[str, ${value}]`
  }

  #named(component: string, side: Side): string {
    const name = nameOf(component)
    const schema = this.#schemas[component] as JsonSchema
    if (!schema.properties) {
      const joined = schema.anyOf ?? schema.oneOf
      if (!joined) return this.typeOf(schema, side, name)
      const members = joined.map((member) =>
        this.typeOf(member, side, `${name}${schema.anyOf ? pascal(firstField(member)) : wordOf(member)}`),
      )
      if (side === "request") return [...members, ...this.#readAs(component)].join(" | ")
      this.unions.set(name, { members, description: schema.description })
      return name
    }
    const type = this.#declare(name, side, schema, "")
    return side === "request" ? [type, ...this.#readAs(component)].join(" | ") : type
  }

  /** The type of an object that was read, if it can be sent again. */
  #readAs(component: string): string[] {
    const [, read = ""] = /^(.*)Input$/.exec(component) ?? []
    return this.#schemas[read] ? [this.#named(read, "answer")] : []
  }

  #declare(name: string, side: Side, schema: JsonSchema, path: string): string {
    const known = this.declared.get(name)
    if (known && known.side !== side) throw new Error(`${name} is both sent and received. Give one a name of its own.`)
    if (known) return name
    this.declared.set(name, { name, side, schema, path })
    for (const [field, one] of Object.entries(schema.properties ?? {}))
      this.typeOf(one, side, `${name}${pascal(field)}`, `${path}.${field}`)
    return name
  }

  /** The type of a field of a declared object. */
  fieldType({ name, side, path }: Declared, field: string, schema: JsonSchema): string {
    return this.typeOf(schema, side, `${name}${pascal(field)}`, `${path}.${field}`)
  }
}

/** A name for the objects of a union that have none. */
const firstField = ({ $ref, properties }: JsonSchema) => ($ref ? "" : (Object.keys(properties ?? {})[0] ?? ""))

/** The word by which a member of a union differs from the others, such as its `type`. */
function wordOf({ properties = {} }: JsonSchema): string {
  const [first] = Object.values(properties)
  return pascal(String(first?.const ?? first?.enum?.[0] ?? Object.keys(properties).join("_")))
}
