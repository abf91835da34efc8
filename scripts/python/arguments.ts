import { pythonName } from "../../src/reference/python-sample.ts"
import type { JsonSchema } from "../schema-types.ts"
import type { PythonOperation } from "./document.ts"
import { entry, pascal } from "./text.ts"
import type { PythonTypes } from "./types.ts"

/** An argument of a method. */
export interface Argument {
  name: string
  type: string
  /** Its default; undefined if it is required. */
  fallback: string | undefined
  doc: string
}

/** The arguments of an operation, and the expressions that it sends. */
export interface Arguments {
  path: Argument[]
  body: Argument[]
  query: Argument[]
  /** The source of the dictionaries that `Input` takes. */
  sent: { path: string; query: string; body: string }
}

/** Parameters of lists that the pager sends, and formats that have methods of their own. */
const BY_METHODS = new Set(["cursor", "format", "bom"])

export function argumentsOf(types: PythonTypes, operation: PythonOperation, kept: readonly string[] = []): Arguments {
  const { parameters, id } = operation
  const owner = pascal(id[0]?.toUpperCase() + id.slice(1))
  const path = parameters.filter((one) => one.in === "path")
  const query = parameters.filter(
    (one) => one.in === "query" && (kept.includes(one.name) || !BY_METHODS.has(one.name) || operation.verb === "POST"),
  )
  const body = operation.body ? fieldsOf(types, operation.body) : {}
  const required = new Set(body.required)
  const inPath = new Set(path.map(({ name }) => name))
  const fields = Object.entries(body.properties ?? {}).filter(([name]) => !inPath.has(name))
  const bodyArguments = fields.map(([name, schema]) => {
    const type = types.typeOf(schema, "request", `${owner}${pascal(name)}`, name)
    const isNullable = type.endsWith("| None") || type === "Any"
    const isRequired = required.has(name)
    const fallback = isRequired ? undefined : isNullable ? "UNSET" : "None"
    const shown = isRequired ? type : isNullable ? `${type} | Unset` : `${type} | None`
    return { name: pythonName(name), type: shown, fallback, doc: schema.description ?? "" }
  })
  return {
    path: path.map(({ name, schema, description = "" }) => ({
      name,
      type: schema.type === "integer" ? "int" : "str",
      fallback: undefined,
      // The client encodes it.
      doc: description.replace(/, percent-encoded:.*$/, "."),
    })),
    body: bodyArguments.toSorted((a, b) => Number(a.fallback !== undefined) - Number(b.fallback !== undefined)),
    query: query.map(({ name, schema, description = "" }) => {
      const type = types.typeOf(schema, "request", `${owner}${pascal(name)}`, name)
      const isBoolean = schema.enum?.includes("true")
      return {
        name: pythonName(name),
        type: `${type}${isBoolean ? " | bool" : ""} | None`,
        fallback: "None",
        doc: description,
      }
    }),
    sent: {
      path: dictionary(path.map(({ name }) => [name, name])),
      query: dictionary(query.map(({ name }) => [name, pythonName(name)])),
      body: operation.body
        ? dictionary(
            fields.map(([name], at) => {
              const argument = pythonName(name)
              return [name, bodyArguments[at]?.fallback === "None" ? `given(${argument})` : argument]
            }),
          ) || "{}"
        : "",
    },
  }
}

/** The fields of a body. One with several forms has those of all, and requires those that every form requires. */
function fieldsOf(types: PythonTypes, schema: JsonSchema): Pick<JsonSchema, "properties" | "required"> {
  const body = types.schemaOf(schema)
  const forms = (body.anyOf ?? body.oneOf)?.map((form) => fieldsOf(types, form))
  if (!forms) return body
  return {
    properties: Object.assign({}, ...forms.map(({ properties }) => properties)),
    required: forms.map(({ required = [] }) => required).reduce((all, one) => all.filter((name) => one.includes(name))),
  }
}

function dictionary(pairs: [string, string][]): string {
  return pairs.length > 0 ? `{${pairs.map(([name, value]) => `"${name}": ${value}`).join(", ")}}` : ""
}

/** Arguments as lines of a signature. */
export const signature = (list: readonly Argument[]) =>
  list
    .map(({ name, type, fallback }) => `        ${name}: ${type}${fallback === undefined ? "" : ` = ${fallback}`},\n`)
    .join("")

/** Arguments as lines of a docstring. */
export const documented = (list: readonly Argument[]) =>
  list.filter(({ doc }) => doc).map(({ name, doc }) => entry(name, doc, "        "))
