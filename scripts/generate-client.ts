import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { CLIENT_PACKAGE, PYTHON_MODULE } from "../client/src/names.ts"
import { CALL_COUNT_NAMES, countColumnOf, countOf, isRequiredCount } from "../src/agent/token-names.ts"
import { ERROR_CODES } from "../src/base/errors.ts"
import {
  COMPONENT_NAMES,
  componentOf,
  isRequired,
  placeInCatalog,
  requestNameOf,
} from "../src/catalog/price-components.ts"
import { describeApi } from "../src/reference/apis.ts"
import { readGuide } from "../src/reference/guides.ts"
import { CLIENT_PATH, PYTHON_CLIENT_PATH } from "../src/reference/served-packages.ts"
import { billNameOf } from "../src/turns/get-bill.ts"
import { documentOf, SURFACES, type SurfaceName } from "./documents.ts"
import { operationTable } from "./openapi/calls.ts"
import { pythonFiles } from "./python/files.ts"
import { buildSync } from "./python/sync.ts"
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
  description?: string
  deprecated?: boolean
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: JsonSchema }> }
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>
}

/**
 * Writes the clients and the types of the web app from the OpenAPI documents, and for the web app also enums, bounds,
 * defaults and labels of event types. With --check it writes nothing and fails if a file is stale.
 */
const files = new Map<string, string>([
  ...TARGETS.map(({ surface, target, path, bytes }) => [target, typesOf(surface, path, bytes)] as const),
  ["client/cli/hints.ts", errorHints()],
  ["dashboard/src/api/rules.ts", rulesOfSurface("dashboard")],
  ["dashboard/src/api/event-labels.ts", eventLabels()],
  ["dashboard/src/api/event-samples.ts", eventSamples()],
  ["dashboard/src/api/client-package.ts", clientPackage()],
  ["dashboard/src/api/documents.ts", guidePages()],
  ["dashboard/src/api/prices.ts", pricesAndCounts()],
  ...pythonFiles(),
])
for (const [target, text] of files) {
  if (!process.argv.includes("--check"))
    await mkdir(dirname(target), { recursive: true }).then(() => writeFile(target, text))
  else if ((await readFile(target, "utf8")) !== text) throw new Error(`${target} is stale: run npm run client:types`)
}
await buildSync()

interface DescribedEvent {
  post: { summary: string; requestBody: { content: { "application/json": { example: unknown } } } }
}

function describedEvents(): [type: string, described: DescribedEvent][] {
  return Object.entries(documentOf("dashboard").webhooks as Record<string, DescribedEvent>)
}

/** The source of an example of each type of event, for the catalogue of the web app. */
function eventSamples(): string {
  const samples = describedEvents().map(([type, { post }]) => [
    type,
    post.requestBody.content["application/json"].example,
  ])
  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** An example of each type of event, as a webhook receives it. */
export const EVENT_SAMPLES: Record<string, unknown> = {
${samples.map(([type, sample]) => `  ${JSON.stringify(type)}: ${JSON.stringify(sample)},\n`).join("")}}
`
}

/** The source of the hints that the command line shows with each error of the service. */
function errorHints(): string {
  const lines = Object.entries(ERROR_CODES)
    .filter(([, entry]) => !("dashboard" in entry))
    .map(([code, { cure }]) => `  ${code}: ${JSON.stringify(cure)},\n`)
  return `// Generated from the table of errors by scripts/generate-client.ts: npm run client:types.

/** The next step after each error of the service. */
export const HINTS: Record<string, string> = {
${lines.join("")}}
`
}

/** The source of the list of guides, with the words of their headings, for the palette. */
function guidePages(): string {
  const surfaces = Object.values(SURFACES)
  const pages = surfaces.flatMap(({ api: { pagePath, guides } }) =>
    guides.map((guide) => {
      const { name, description } = readGuide(guide, [])
      const words = [...description.matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading).join(" ")
      const operators = pagePath !== SURFACES.v1.api.pagePath
      return `  { title: ${JSON.stringify(name)}, path: ${JSON.stringify(`${pagePath}/${guide}`)}, words: ${JSON.stringify(words)}, operators: ${operators} },\n`
    }),
  )
  return `// Generated from the guides by scripts/generate-client.ts: npm run client:types.

/** The guides of the reference. \`operators\`: of the dashboard's API. */
export const DOCUMENTS: readonly { title: string; path: string; words: string; operators: boolean }[] = [
${pages.join("")}]
`
}

/** The source of the names and paths of the clients' packages (scripts/pack-client.ts, scripts/pack-wheel.ts). */
function clientPackage(): string {
  return `// Generated by scripts/generate-client.ts: npm run client:types.

/** The path of the client's package at this service, for \`npm install\`. */
export const CLIENT_PATH = ${JSON.stringify(CLIENT_PATH)}

/** The path of the Python client's wheel at this service, for \`pip install\`. */
export const PYTHON_CLIENT_PATH = ${JSON.stringify(PYTHON_CLIENT_PATH)}

/** The name by which TypeScript imports the client. */
export const CLIENT_PACKAGE = ${JSON.stringify(CLIENT_PACKAGE)}

/** The name by which Python imports the client. */
export const PYTHON_MODULE = ${JSON.stringify(PYTHON_MODULE)}
`
}

/** The source of the lists of prices and of counts, for forms and tables of the web app. */
function pricesAndCounts(): string {
  const prices = COMPONENT_NAMES.map((name) => {
    const { kind, per, label, whenNull, count } = componentOf(name)
    const place = placeInCatalog(name)
    return {
      name: requestNameOf(name),
      place: place.join("."),
      kind,
      perUnit: per === 1,
      label,
      hint: whenNull === undefined ? null : `If empty: ${whenNull.replaceAll("`", "")}`,
      required: kind === "image" || isRequired(name),
      bill: billNameOf(name),
      count: count === undefined ? null : countColumnOf(count),
    }
  })
  const counts = CALL_COUNT_NAMES.map((name) => {
    return { name: countColumnOf(name), title: countOf(name).title, required: isRequiredCount(name) }
  })
  const lines = (all: readonly object[]) => all.map((one) => `  ${JSON.stringify(one)},\n`).join("")
  return `// Generated from the declarations of prices and counts by scripts/generate-client.ts: npm run client:types.

/**
 * The prices of a model. \`name\`: in requests. \`place\`: in a row of the catalog. \`bill\`: among the prices of a bill.
 * \`count\`: the count of a model call that it prices.
 */
export const MODEL_PRICES = [
${lines(prices)}] as const

/** The counts of a model call in a bill. \`required\`: calls without the others are common. */
export const CALL_COUNTS = [
${lines(counts)}] as const
`
}

/** The source of the labels that say when each type of event is sent. */
function eventLabels(): string {
  const lines = describedEvents().map(([type, { post }]) => `  "${type}": ${JSON.stringify(post.summary)},\n`)
  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

/** When each type of event is sent. */
export const EVENT_LABELS = {
${lines.join("")}} as const
`
}

/**
 * The schemas and operations of a surface, each in the order of its names. Operations that follow another API have
 * clients of their own.
 */
function sorted(surface: SurfaceName) {
  const { app, api } = SURFACES[surface]
  const document = describeApi(
    api,
    app.operations.filter(({ dialect }) => dialect === undefined),
  )
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
    const summary = operation.deprecated
      ? `${operation.summary}. @deprecated ${operation.description?.split("\n")[0]}`
      : operation.summary
    return `${docOf(summary, "  ")}  ${operation.operationId}: {\n${parts.filter(Boolean).join("")}  }\n`
  })

  return `// Generated from the OpenAPI document by scripts/generate-client.ts: npm run client:types.

${components.join("\n")}
/** What each operation takes and answers. */
export interface Operations {
${operations.join("\n")}}

${operationTable(surface, found)}`
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
