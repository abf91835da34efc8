import type { ErrorCode } from "../base/errors.ts"
import { ERROR_CODES } from "../base/errors.ts"
import type { JsonValue } from "./json-value.ts"
import { codes, escaped, type Heading, type PageEntry, renderMarkdown } from "./markdown.ts"
import { fieldsOfSchema, fieldsTable } from "./site-fields.ts"
import { samplesOf } from "./site-samples.ts"

interface Content {
  schema?: JsonValue
  example?: unknown
  examples?: Record<string, { value: unknown }>
}

export interface DescribedOperation {
  operationId: string
  tags: string[]
  summary: string
  description: string
  parameters?: {
    name: string
    in: string
    required: boolean
    description?: string
    schema: JsonValue
    example?: unknown
  }[]
  requestBody?: { content: Record<string, Content> }
  responses: Record<
    string,
    { $ref?: string; description?: string; headers?: JsonValue; content?: Record<string, Content> }
  >
  "x-codeSamples"?: { lang: string; label: string; source: string }[]
}

export interface DescribedApi {
  tags: { name: string; description?: string }[]
  paths: Record<string, Record<string, DescribedOperation>>
  components: { schemas: JsonValue; responses: Record<string, { content?: Record<string, Content> }> }
}

interface Place {
  /** The path of the page of error codes. */
  errors: string
  /** The path of the viewer. */
  tryIt: string
  /** True if the operations have code samples. */
  hasSamples: boolean
}

/** The address of an operation in the viewer. */
const viewerAnchor = (tag: string, method: string, path: string) =>
  `#tag/${tag.toLowerCase().replaceAll(" ", "-")}/${method.toUpperCase()}${path}`

/** The page of a group of operations: for each its parameters, body, samples, answer and errors. */
export function operationsPage(api: DescribedApi, tag: string, place: Place) {
  const { schemas } = api.components
  const headings: Heading[] = []
  const entries: PageEntry[] = [{ kind: "operation", id: "", title: tag, words: "operations endpoints", text: "" }]
  let html = ""
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      if (operation.tags[0] !== tag) continue
      const { operationId: id, summary } = operation
      headings.push({ id, level: 2, title: summary })
      const text = renderMarkdown(operation.description, (href) => href)
      entries.push({
        kind: "operation",
        id,
        title: summary,
        words: `${id} ${tag} endpoint operation`,
        text: `${method.toUpperCase()} ${path}`,
      })
      html += `<section class="operation"><h2 id="${id}"><a href="#${id}">${escaped(summary)}</a></h2>
<p class="endpoint"><b>${method.toUpperCase()}</b> <code>${escaped(path)}</code> <a class="try" href="${place.tryIt}${viewerAnchor(tag, method, path)}">Try it</a></p>
${text.html}${requestOf(operation, schemas)}${place.hasSamples ? sampleOf(method, path, operation) : ""}${answerOf(operation, schemas)}${errorsOf(operation, api, place)}</section>\n`
    }
  }
  return { html, headings, entries }
}

function requestOf({ parameters = [], requestBody }: DescribedOperation, schemas: JsonValue): string {
  const places = { path: "Path", query: "Query", header: "Header" } as const
  const rows = parameters.map(({ name, in: location, required, description = "", schema }) => {
    const [field] = fieldsOfSchema(
      { properties: { [name]: { ...schema, description } }, required: required ? [name] : [] },
      schemas,
    )
    return { name, type: `${places[location as keyof typeof places]}: ${field?.type}`, required, description }
  })
  const body = requestBody?.content["application/json"]?.schema
  const fields = body ? fieldsOfSchema(body, schemas) : []
  const upload =
    requestBody && !body ? "<p>The body is the file itself, or a form with the field <code>file</code>.</p>\n" : ""
  return [
    rows.length > 0 ? `<h3>Parameters</h3>${fieldsTable(rows, { marks: true })}` : "",
    fields.length > 0 ? `<h3>Body</h3>${fieldsTable(fields, { marks: true })}` : "",
    upload,
  ].join("")
}

const clientSampleIn = (operation: DescribedOperation, wanted: string) =>
  operation["x-codeSamples"]?.find(({ lang }) => lang === wanted)

const sampleOf = (method: string, path: string, operation: DescribedOperation) =>
  `<h3>Request</h3>${codes(
    samplesOf({
      method,
      path,
      parameters: operation.parameters ?? [],
      body: operation.requestBody?.content["application/json"]?.example as JsonValue | undefined,
      isUpload: operation.requestBody !== undefined && !operation.requestBody.content["application/json"],
      client: clientSampleIn(operation, "TypeScript"),
      pythonClient: clientSampleIn(operation, "Python")?.source,
    }),
  )}`

/** The answer that is shown: of several with the same schema, the one with an example. */
export function mainAnswerOf(responses: DescribedOperation["responses"]) {
  const good = Object.entries(responses).filter(([code]) => /^[23]/.test(code))
  const shown = good.find(([, { content }]) => content?.["application/json"]?.example !== undefined) ?? good[0]
  return shown ?? (["", undefined] as const)
}

function answerOf({ responses }: DescribedOperation, schemas: JsonValue): string {
  const [status, answer] = mainAnswerOf(responses)
  const content = answer?.content?.["application/json"]
  const fields = content?.schema ? fieldsOfSchema(content.schema, schemas) : []
  const list =
    fields.length > 0
      ? `<details><summary>${fields.length} fields</summary>${fieldsTable(fields, { marks: false })}</details>`
      : ""
  const example =
    content?.example === undefined ? "" : codes([{ lang: "json", text: JSON.stringify(content.example, null, 2) }])
  return `<h3>Answer ${status}</h3><p>${escaped(answer?.description ?? "")}</p>${example}${list}`
}

/** The codes of an operation, each with a link to its cause and cure. */
function errorsOf({ responses }: DescribedOperation, { components }: DescribedApi, { errors }: Place): string {
  const codesOfAnswers = Object.entries(responses).flatMap(([status, { $ref }]) => {
    const { examples = {} } = components.responses[$ref?.split("/").at(-1) ?? ""]?.content?.["application/json"] ?? {}
    return Object.keys(examples).map((code) => ({ status, code }))
  })
  if (codesOfAnswers.length === 0) return ""
  const links = codesOfAnswers.map(({ status, code }) => {
    const { cause } = ERROR_CODES[code as ErrorCode]
    return `<li><a href="${errors}#${code}" title="${escaped(cause)}">${status} <code>${code}</code></a></li>`
  })
  return `<h3>Errors</h3><ul class="errors">${links.join("")}</ul>`
}
