import * as z from "zod"
import { ERROR_CODES, type ErrorCode } from "../errors.ts"
import { withIdempotency } from "./openapi-idempotency.ts"
import type { Operation } from "./operation.ts"
import type { Surface } from "./surface.ts"

type Json = Record<string, unknown>

const FILE = { type: "string", format: "binary" }
const UPLOAD_BODY = {
  required: true,
  content: {
    "multipart/form-data": { schema: { type: "object", required: ["file"], properties: { file: FILE } } },
    "application/octet-stream": { schema: FILE },
  },
}

/** The OpenAPI 3.1 document of `operations`, from the schemas that validate them. */
export function openApiDocument(
  operations: readonly Operation[],
  { origin, surface }: { origin: string; surface: Surface },
) {
  const components: Json = {}
  const schema = (type: z.ZodType, io: "input" | "output") => jsonSchema(type, io, components)
  const paths: Record<string, Json> = {}
  for (const operation of operations.map(withIdempotency)) {
    const path = paths[operation.path] ?? {}
    paths[operation.path] = path
    path[operation.method] = {
      operationId: operation.id,
      tags: [operation.tag],
      summary: operation.summary,
      description: operation.description ?? operation.summary,
      ...parametersOf(operation, schema),
      ...(operation.body && {
        requestBody: { required: true, content: { "application/json": { schema: schema(operation.body, "input") } } },
      }),
      ...(operation.upload && { requestBody: UPLOAD_BODY }),
      responses: {
        [operation.answer.status]: {
          description: operation.answer.description,
          ...(operation.answer.headers && { headers: describeHeaders(operation.answer.headers) }),
          content: operation.answer.binary
            ? { "*/*": { schema: FILE } }
            : {
                "application/json": { schema: schema(operation.answer.schema, "output") },
                ...otherTypes(operation.answer.also),
              },
        },
        ...otherAnswers(operation),
        ...errorResponses(operation, surface, (status) => schema(surface.errorSchema(status), "output")),
      },
    }
  }
  return {
    openapi: "3.1.0",
    info: { ...surface.info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: [{ url: origin }],
    security: Object.keys(surface.securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: surface.securitySchemes,
    },
  }
}

/** A schema as JSON Schema; named ones become components. */
function jsonSchema(type: z.ZodType, io: "input" | "output", components: Json): Json {
  // Inside an object a named schema is a reference; at the root it would be spelled out.
  const wrapped = z.toJSONSchema(z.object({ it: type }), { io, unrepresentable: "any" }) as Json
  const { $defs = {}, properties } = JSON.parse(
    JSON.stringify(wrapped).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { $defs?: Record<string, Json>; properties: { it: Json } }
  for (const [name, { id: _id, ...definition }] of Object.entries($defs)) components[name] = definition
  return properties.it
}

function parametersOf(operation: Operation, schema: (type: z.ZodType, io: "input") => Json): Json {
  const parameters: Json[] = []
  for (const [place, type] of [["path", operation.params] as const, ["query", operation.query] as const]) {
    if (!type) continue
    const { properties = {}, required = [] } = schema(type, "input") as {
      properties?: Record<string, Json>
      required?: string[]
    }
    for (const [name, { description, ...property }] of Object.entries(properties)) {
      const needed = place === "path" || required.includes(name)
      parameters.push({
        name,
        in: place,
        required: needed,
        ...(description !== undefined && { description }),
        schema: property,
      })
    }
  }
  for (const { name, description, required, example } of operation.headers ?? []) {
    parameters.push({ name, in: "header", required, description, schema: { type: "string" }, example })
  }
  return parameters.length > 0 ? { parameters } : {}
}

function otherAnswers({ answer }: Operation): Json {
  const entries = Object.entries(answer.others ?? {}).map(([status, description]) => [
    status,
    { description, ...(answer.binary && status === "206" && { content: { "*/*": { schema: FILE } } }) },
  ])
  return Object.fromEntries(entries)
}

function otherTypes(types: Record<string, string> = {}): Json {
  const entries = Object.entries(types).map(([type, description]) => [
    type,
    { schema: { type: "string", description } },
  ])
  return Object.fromEntries(entries)
}

function describeHeaders(headers: Record<string, string>): Json {
  const entries = Object.entries(headers).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ])
  return Object.fromEntries(entries)
}

/** The error answers of an operation: its codes, grouped by status, each with cause and cure. */
function errorResponses(operation: Operation, surface: Surface, schemaOf: (status: number) => Json): Json {
  const validated: ErrorCode[] = operation.query || operation.params ? ["VALIDATION_FAILED"] : []
  const byStatus = new Map<number, ErrorCode[]>()
  const codes = [...surface.codesOf(operation), ...operation.errors, ...validated]
  for (const code of new Set(codes)) {
    const { status } = ERROR_CODES[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const describe = (code: ErrorCode) => `\`${code}\`: ${ERROR_CODES[code].cause} ${ERROR_CODES[code].cure}`
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map(describe).join("\n\n"), content: { "application/json": { schema: schemaOf(status) } } },
    ]),
  )
}
