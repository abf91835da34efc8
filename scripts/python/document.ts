import { CLIENT_METHODS } from "../../src/reference/client-methods.ts"
import { documentOf } from "../documents.ts"
import type { JsonSchema } from "../schema-types.ts"
import { PythonTypes } from "./types.ts"

/** A parameter of an operation. */
export interface PythonParameter {
  name: string
  in: "path" | "query" | "header"
  required: boolean
  description?: string
  schema: JsonSchema
}

/** An operation of the OpenAPI document that the client has a method for. */
export interface PythonOperation {
  id: string
  /** The method of the TypeScript client, such as `endUsers.putLimits`. */
  method: string
  verb: string
  path: string
  summary: string
  description: string
  parameters: PythonParameter[]
  /** The schema of a JSON body. */
  body: JsonSchema | undefined
  /** The schema of the answer; undefined if the answer is a file. */
  answer: JsonSchema | undefined
  /** The schema of an item, if the answer is a page of a list. */
  item: JsonSchema | undefined
  /** The error codes by status. */
  errors: [status: string, codes: string[]][]
  /** A call with the Python client. */
  example: string
}

interface Described {
  operationId: string
  summary: string
  description: string
  parameters?: PythonParameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { $ref?: string; content?: Record<string, { schema: JsonSchema }> }>
  "x-codeSamples"?: { lang: string; source: string }[]
}

const REPORTS = new Set(["getUsage"])

/** Reads the operations of the public API, in the order of the client's methods, and all types. */
export function readDocument() {
  const document = documentOf("v1")
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> }
  const types = new PythonTypes(schemas)
  const described = new Map(
    Object.entries(document.paths).flatMap(([path, verbs]) =>
      Object.entries(verbs).map(([verb, one]) => {
        const operation = one as Described
        return [operation.operationId, { path, verb: verb.toUpperCase(), operation }] as const
      }),
    ),
  )
  const operations = Object.entries(CLIENT_METHODS).map(([id, method]): PythonOperation => {
    const found = described.get(id)
    if (!found) throw new Error(`The OpenAPI document has no operation ${id}.`)
    const { path, verb, operation } = found
    const [, success] = Object.entries(operation.responses).find(([status]) => status.startsWith("2")) ?? []
    const answer = success?.content?.["application/json"]?.schema
    const fields = answer && types.schemaOf(answer).properties
    const isList = fields?.data && fields.next_cursor && verb === "GET" && !REPORTS.has(id)
    return {
      id,
      method,
      verb,
      path,
      summary: operation.summary,
      description: operation.description,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content["application/json"]?.schema,
      answer,
      item: isList ? fields.data?.items : undefined,
      errors: Object.entries(operation.responses).flatMap(([status, { $ref }]) =>
        $ref ? [[status, ($ref.split("/").at(-1) ?? "").split(".")] as [string, string[]]] : [],
      ),
      example: operation["x-codeSamples"]?.find(({ lang }) => lang === "Python")?.source ?? "",
    }
  })
  return { schemas, types, operations }
}
