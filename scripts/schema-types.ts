/** JSON Schema as the OpenAPI documents use it. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: JsonSchema | boolean
  description?: string
  default?: unknown
  format?: string
}

/** Components whose names are also names of global types. */
const RENAMED: Record<string, string> = { Error: "ErrorAnswer", Event: "FeedEvent", File: "FileInfo" }

export const nameOf = (component: string) => RENAMED[component] ?? component

/** The TypeScript type of a schema. An optional field can be undefined too, because JSON leaves it out then. */
export function typeOf(schema: JsonSchema, indent = ""): string {
  if (schema.$ref) return nameOf(schema.$ref.slice("#/components/schemas/".length))
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ")
  const joined = schema.anyOf ? withoutOthers(schema.anyOf) : schema.oneOf
  if (joined) return [...new Set(joined.map((part) => typeOf(part, indent)))].join(" | ")
  if (schema.allOf) return schema.allOf.map((part) => typeOf(part, indent)).join(" & ")
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type }, indent)).join(" | ")
  switch (schema.type) {
    case "string":
      return schema.format === "binary" ? "Blob" : "string"
    case "integer":
    case "number":
      return "number"
    case "boolean":
      return "boolean"
    case "null":
      return "null"
    case "array":
      return arrayOf(typeOf(schema.items ?? {}, indent))
    case "object":
      return schema.properties && Object.keys(schema.properties).length > 0
        ? `{\n${fieldsOf(schema, `${indent}  `)}${indent}}`
        : `Record<string, ${typeof schema.additionalProperties === "object" ? typeOf(schema.additionalProperties, indent) : "unknown"}>`
    case undefined:
      return "unknown"
    default:
      throw new Error(`there is no type for ${JSON.stringify(schema)}`)
  }
}

/**
 * Enums in responses are open (src/reference/open-answers.ts). The types of our own clients have only the known values,
 * so that TypeScript reports missing cases.
 */
export function withoutOthers([first, second, ...rest]: JsonSchema[]): JsonSchema[] {
  const isOpen = first?.enum && second?.type === "string" && Object.keys(second).length === 1
  return [first, ...(isOpen ? [] : [second]), ...rest].filter((part) => part !== undefined)
}

const arrayOf = (type: string) => (/^[\w"]+$/.test(type) || type.endsWith("[]") ? `${type}[]` : `(${type})[]`)

export function fieldsOf(schema: JsonSchema, indent: string): string {
  const required = new Set(schema.required)
  return Object.entries(schema.properties ?? {})
    .map(([name, field]) => {
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name)
      const type = typeOf(field, indent)
      const shown = required.has(name)
        ? `${key}: ${type}`
        : `${key}?: ${type === "unknown" ? type : `${type} | undefined`}`
      return `${docOf(field.description, indent)}${indent}${shown}\n`
    })
    .join("")
}

export function docOf(text: string | undefined, indent: string): string {
  if (!text) return ""
  return `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`
}
