import { readFile, writeFile } from "node:fs/promises"
import { documentOf, type SurfaceName } from "./documents.ts"
import { constantOf, rulesOf } from "./schema-rules.ts"
import { docOf, fieldsOf, type JsonSchema, nameOf, typeOf } from "./schema-types.ts"

/** The generated files: surface, path of the file, name of the path parameters, and the type of a body of bytes. */
const TARGETS = [
  { surface: "v1", target: "client/src/operations.ts", path: "params", bytes: "" },
  { surface: "dashboard", target: "dashboard/src/api/operations.ts", path: "path", bytes: "    body: Blob\n" },
] as const

interface Parameter {
  name: string
  in: "path" | "query" | "header"
  required: boolean
  description?: string
  schema: JsonSchema
}

interface Described {
  operationId: string
  summary: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
}

/**
 * Writes the types of the client and of the web app from the OpenAPI documents, and for the web app also enums, bounds,
 * defaults and labels of event types. With --check it writes nothing and fails if a file is stale.
 */
const files = new Map<string, string>([
  ...TARGETS.map(({ surface, target, path, bytes }) => [target, typesOf(surface, path, bytes)] as const),
  ["dashboard/src/api/rules.ts", rulesOfSurface("dashboard")],
  ["dashboard/src/api/event-labels.ts", eventLabels()],
])
for (const [target, text] of files) {
  if (!process.argv.includes("--check")) await writeFile(target, text)
  else if ((await readFile(target, "utf8")) !== text) throw new Error(`${target} is stale: run npm run client:types`)
}

/** The source of the labels that say when each type of event is sent. */
function eventLabels(): string {
  const webhooks = documentOf("dashboard").webhooks as Record<string, { post: { summary: string } }>
  const lines = Object.entries(webhooks).map(([type, { post }]) => `  "${type}": ${JSON.stringify(post.summary)},\n`)
  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** When each type of event is sent. */
export const EVENT_LABELS = {
${lines.join("")}} as const
`
}

/** The schemas and operations of a surface, each in the order of its names. */
function sorted(surface: SurfaceName) {
  const document = documentOf(surface)
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> }
  return {
    schemas: Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)),
    operations: Object.entries(document.paths)
      .flatMap(([path, methods]) =>
        Object.entries(methods).map(([method, described]) => ({ path, method, ...(described as Described) })),
      )
      .sort((a, b) => (a.operationId < b.operationId ? -1 : 1)),
  }
}

/** A constant for each schema and for the query of each operation. A bundle includes only the constants in use. */
function rulesOfSurface(surface: SurfaceName): string {
  const { schemas, operations } = sorted(surface)
  const queries = operations.map(({ operationId, parameters = [] }) => {
    const inQuery = parameters.filter((parameter) => parameter.in === "query")
    const properties = Object.fromEntries(inQuery.map(({ name, schema }) => [name, schema]))
    return [`${operationId}Query`, rulesOf({ properties })] as const
  })
  const constants = [...schemas.map(([name, schema]) => [`${nameOf(name)}Rules`, rulesOf(schema)] as const), ...queries]
    .filter(([, rules]) => rules.size > 0)
    .map(([name, rules]) => constantOf(name, rules))
  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

${constants.join("\n")}`
}

function typesOf(surface: SurfaceName, pathName: string, bytes: string): string {
  const { schemas, operations: found } = sorted(surface)
  const components = schemas.map(([name, schema]) => {
    const fields = schema.properties ? `export interface ${nameOf(name)} {\n${fieldsOf(schema, "  ")}}` : null
    return `${docOf(schema.description, "")}${fields ?? `export type ${nameOf(name)} = ${typeOf(schema)}`}\n`
  })

  const operations = found.map((operation) => {
    const parts = [
      parametersOf(operation, "path", pathName),
      parametersOf(operation, "query", "query"),
      bodyOf(operation, bytes),
      `    answer: ${answerOf(operation)}\n`,
    ]
    return `${docOf(operation.summary, "  ")}  ${operation.operationId}: {\n${parts.filter(Boolean).join("")}  }\n`
  })

  const table = found.map(({ operationId, method, path, parameters }) => {
    const once = parameters?.some(
      ({ name, in: location }) => location === "header" && name.toLowerCase() === "idempotency-key",
    )
    return `  ${operationId}: { method: "${method.toUpperCase()}", path: "${path}"${once ? ", once: true" : ""} },\n`
  })

  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

${components.join("\n")}
/** What each operation takes and answers. */
export interface Operations {
${operations.join("\n")}}

/** How each operation is called; \`once\`: the service has its effect at most once for an Idempotency-Key. */
export const OPERATIONS: {
  readonly [Id in keyof Operations]: { readonly method: string; readonly path: string; readonly once?: true }
} = {
${table.join("")}}
`
}

/** Callers can give a boolean in a URL as a string too. */
function inUrl(schema: JsonSchema): JsonSchema {
  return schema.type === "boolean" ? { anyOf: [{ type: "boolean" }, { enum: ["true", "false"] }] } : schema
}

function parametersOf({ parameters = [] }: Described, location: string, name: string): string {
  const here = parameters.filter((parameter) => parameter.in === location)
  if (here.length === 0) return ""
  const required = here.filter((parameter) => parameter.required)
  const properties = Object.fromEntries(
    here.map(({ name, schema, description }) => [name, { ...inUrl(schema), ...(description && { description }) }]),
  )
  const schema = { properties, required: required.map((parameter) => parameter.name) }
  return `    ${name}${required.length > 0 ? "" : "?"}: {\n${fieldsOf(schema, "      ")}    }\n`
}

function bodyOf({ requestBody }: Described, bytes: string): string {
  if (!requestBody) return ""
  const json = requestBody.content["application/json"]
  return json ? `    body: ${typeOf(json.schema, "    ")}\n` : bytes
}

function answerOf({ responses }: Described): string {
  const [, answer] = Object.entries(responses).find(([status]) => status.startsWith("2")) ?? []
  const schema = answer?.content?.["application/json"]?.schema
  return schema ? typeOf(schema, "    ") : "Blob"
}
