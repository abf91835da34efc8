import type * as z from "zod"
import type { ErrorCode } from "../base/errors.ts"
import type { Operation } from "../http/operation.ts"
import { DIALECT_METHODS } from "./client-methods.ts"
import { type ClientMethods, clientSample, DIALECT_CLIENTS, OWN_CLIENT } from "./client-sample.ts"
import { type Components, createComponents } from "./components.ts"
import { describeEvents } from "./event-webhooks.ts"
import { exampleOf } from "./examples.ts"
import type { JsonValue } from "./json-value.ts"
import { ANSWER_HEADERS, answerHeaders, errorAnswers, otherErrors, sharedAnswer } from "./openapi-answers.ts"
import { withDeprecation, withIdempotency, withVersions } from "./openapi-headers.ts"
import { alikeAnswers, FILE, failingAnswers, laterAnswer, otherAnswers, otherTypes } from "./other-answers.ts"
import { pythonSample } from "./python-sample.ts"
import type { Surface } from "./surface.ts"

const UPLOAD_BODY = {
  required: true,
  content: {
    "multipart/form-data": { schema: { type: "object", required: ["file"], properties: { file: FILE } } },
    "application/octet-stream": { schema: FILE },
  },
}

/** A group of operations. */
interface Tag {
  name: string
  description?: string
}

/** The document's title, version and description. */
interface DocumentOptions {
  surface: Surface
  /** The path of the pages with the guides. */
  guidesPath: string
  /** The addresses of the service, if they are known when the document is built. */
  origins?: readonly string[]
  /** The client's method for each operation, for code samples. */
  clientMethods?: ClientMethods
  /** Called with each field that has no example. */
  onMissing?: (path: string) => void
}

/**
 * The servers of a document. With several hosts, the first server is relative: it is the host from which a reader has
 * the document.
 */
const serversOf = (origins: readonly string[]) =>
  (origins.length === 1 ? origins : ["/", ...origins]).map((url) => ({ url }))

/** The OpenAPI 3.1 document of `operations`, from the schemas that validate them. */
export function openApiDocument(operations: readonly Operation[], options: DocumentOptions) {
  const { surface } = options
  const components = createComponents()
  const document = { components, responses: {} as JsonValue, options }
  const paths: Record<string, JsonValue> = {}
  for (const operation of operations.map(withIdempotency).map(withVersions).map(withDeprecation)) {
    paths[operation.path] = { ...paths[operation.path], [operation.method]: describe(operation, document) }
  }
  const webhooks = describeEvents(components)
  const { schemas, ...finished } = components.finish({ paths, webhooks, responses: document.responses })
  return {
    openapi: "3.1.0",
    info: { ...surface.info, license: { name: "Apache-2.0", identifier: "Apache-2.0" } },
    servers: serversOf(options.origins ?? []),
    security: Object.keys(surface.securitySchemes).map((name) => ({ [name]: [] })),
    externalDocs: { description: "Guides, errors and limits", url: options.guidesPath },
    tags: tagsOf(operations),
    paths: finished.paths,
    webhooks: finished.webhooks,
    components: {
      schemas,
      responses: finished.responses,
      headers: ANSWER_HEADERS,
      securitySchemes: surface.securitySchemes,
    },
  }
}

interface Document {
  components: Components
  responses: JsonValue
  options: DocumentOptions
}

function describe(operation: Operation, { components, responses, options }: Document): JsonValue {
  const { schemas, schemaOf: schema } = components
  const { answer, body, upload } = operation
  const own = codesOf(operation, options.surface)
  const schemaOf = (status: number) => schema(options.surface.errorSchema(status, operation), "output")
  const sent = body && schema(body, "input")
  const answerSchema = schema(answer.schema, "output")
  const answered = nameAnswer(answerSchema, operation, components)
  const errors = errorAnswers(own, { components: schemas, responses, schemaOf, operation })
  const exampleFor = (location: string, type: JsonValue, path = "") => {
    const onMissing = (field: string) => options.onMissing?.(`${operation.id}: ${location} ${field}`)
    return exampleOf(type, { components: schemas, onMissing, path })
  }
  const bodyExample = sent && { ...(exampleFor("body", sent) as JsonValue), ...operation.example?.body }
  const parameters = parametersOf(operation, schema, exampleFor)
  const [methods, client] = operation.dialect
    ? [DIALECT_METHODS[operation.dialect], DIALECT_CLIENTS[operation.dialect]]
    : [options.clientMethods, OWN_CLIENT]
  const clientMethod = methods?.[operation.id]
  const call = {
    params: valuesOf(parameters, "path"),
    query: valuesOf(parameters, "query"),
    body: bodyExample,
    upload: upload === true,
    paged: "next_cursor" in ((answerSchema.properties ?? {}) as object) && operation.method === "get",
  }
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.dialect && { "x-dialect": operation.dialect }),
    ...(operation.open && { security: [] }),
    ...(operation.deprecated && { deprecated: true, "x-sunset": operation.deprecated.sunset }),
    description: operation.description ?? operation.summary,
    ...(parameters.length > 0 && { parameters }),
    ...(sent && {
      requestBody: { required: true, content: { "application/json": { schema: sent, example: bodyExample } } },
    }),
    ...(upload && { requestBody: UPLOAD_BODY }),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: answerHeaders(answer.headers),
        ...(answer.status !== 302 && {
          content: answer.binary
            ? { "*/*": { schema: FILE } }
            : {
                "application/json": {
                  schema: answered,
                  example: answerExample(exampleFor("answer", answered), operation),
                },
                ...(answer.alike ? {} : otherTypes(answer.also)),
              },
        }),
      },
      ...alikeAnswers(operation, answered),
      ...laterAnswer(operation, schema),
      ...otherAnswers(operation),
      ...(answer.status === 302 && { default: otherErrors(schemaOf(500)) }),
      ...errors,
      ...failingAnswers(operation, {
        schema: (error) => components.named({ anyOf: [answered, error] }, [`${nameOf(operation)}OrError`]),
        errorOf: (status) => sharedAnswer(responses, errors[status]),
      }),
    },
    ...(clientMethod && {
      "x-codeSamples": [
        clientSample(call, clientMethod, client),
        ...(operation.dialect ? [] : [pythonSample(call, clientMethod)]),
      ],
    }),
  }
}

/** Makes the answer a component. A list is named after its items, and any other answer after its operation. */
function nameAnswer(schema: JsonValue, operation: Operation, components: Components): JsonValue {
  const { answer } = operation
  if (answer.binary || answer.status === 302) return schema
  const { data, items, ...rest } = (schema.properties ?? {}) as Record<string, JsonValue | undefined>
  const item = ((data ?? items)?.items as JsonValue | undefined)?.$ref
  const isPlain = Object.keys(rest).every((name) => PAGE_FIELDS.includes(name))
  const listed = typeof item === "string" && isPlain ? [`${item.split("/").at(-1)}List`] : []
  return components.named(schema, [...listed, `${nameOf(operation)}Answer`])
}

const nameOf = ({ id }: Operation) => `${id[0]?.toUpperCase()}${id.slice(1)}`

const PAGE_FIELDS = ["has_more", "next_cursor", "total", "limit", "offset"]

/** Every code that an operation can return, its own codes first. */
function codesOf(operation: Operation, surface: Surface): ErrorCode[] {
  const { query, params, dialect } = operation
  const validated: ErrorCode[] = query || params || !dialect ? ["VALIDATION_FAILED"] : []
  const own = operation.errors.filter((code) => !surface.foreign.includes(code))
  return [...new Set([...own, ...validated, ...surface.codesOf(operation)])]
}

/**
 * The examples of the parameters in one location. Query parameters count only if they are required or have an
 * example.
 */
function valuesOf(parameters: Parameter[], location: string): Record<string, unknown> {
  const shown = parameters.filter((parameter) => parameter.in === location && parameter.example !== undefined)
  return Object.fromEntries(shown.map(({ name, example }) => [name, example]))
}

/** The groups of operations with their descriptions, in the order of the reference. */
const TAGS: Record<string, string> = {
  Spaces: "Isolated agents, each with its own configuration, conversations and files.",
  Configuration: "The manifest and the secrets of a space's agent, and every version of its configuration.",
  Tools: "Tools that an agent can call: your REST endpoints, and MCP servers.",
  Files: "Files that you attach to turns, and files that agents create.",
  Turns: "Requests to agents. Create, read, follow and cancel them.",
  Calls: "Calls of tools that turns wait for: decisions, later results, and calls for your own workers.",
  Webhooks: "Signed events that Turnpike posts to your server, with every delivery attempt.",
  Events: "A feed of all events that webhooks receive. Use it to catch up.",
  "End users": "Your customers: their costs, their spending limits, and the export and erasure of their data.",
  Prices: "The prices that you charge your end users.",
  Usage: "Reports of billed amounts, by key, end user and other dimensions.",
  Models: "The models on which agents can run, and their prices.",
  OpenAI: "Turns in the form of OpenAI's API, for its clients, agent frameworks and chat interfaces.",
  Anthropic: "Turns in the form of Anthropic's Messages API, for its clients, agent frameworks and coding agents.",
  Health: "The health of the service, for monitors and load balancers.",
  "API keys": "API keys for your servers: their scopes, caps, rotation and revocation.",
  auth: "All ways to sign in, and signing out.",
  Identities: "Your accounts at identity providers. You can sign in with each of them.",
  Sessions: "The devices on which you are signed in, and your password.",
  Members: "The people of an account, their roles, and invitations.",
  Chat: "Chat with the agent of one of your spaces, without an API key.",
  Account: "The calling account and its balance.",
  admin: "For operators of the service: users, plans, models, spaces, teams, workspaces, settings, money.",
  "admin-tasks": "For operators of the service: tasks of all spaces.",
  monitoring: "For monitors of the service, which have no session.",
}

/** Tags in the order of the table. Tags that are not in the table come last. */
function tagsOf(operations: readonly Operation[]): Tag[] {
  const used = new Set(operations.map((operation) => operation.tag))
  const known = Object.entries(TAGS).filter(([name]) => used.delete(name))
  return [...known.map(([name, description]) => ({ name, description })), ...[...used].map((name) => ({ name }))]
}

/** Descriptions of path parameters. */
const PATH_PARAMETERS: Record<string, string> = {
  space_id: "The space, `spc_…`.",
  turn_id: "The turn, `turn_…`.",
  file_id: "The file, `file_…`.",
  response_id: "The response, `resp_…`.",
  webhook_id: "The webhook, `whk_…`.",
  delivery_id: "The delivery, `dlv_…`.",
  event_id: "The event, `evt_…`.",
  key_id: "The key, `key_…`.",
  session_id: "The session, `ses_…`.",
  invitation_id: "The invitation, `inv_…`.",
  anomaly_id: "The anomaly, `ano_…`.",
  identity_id: "The identity, `idn_…`.",
  erasure_id: "The erasure, `era_…`.",
  name: "The name, which is unique in the space.",
  version: "The version number.",
}

const describedAs = (description: unknown) => (description === undefined ? {} : { description })

interface Parameter extends JsonValue {
  name: string
  in: "path" | "query" | "header"
  required: boolean
  example?: unknown
}

function parametersOf(
  operation: Operation,
  schema: (type: z.ZodType, io: "input") => JsonValue,
  exampleFor: (location: string, type: JsonValue, path: string) => unknown,
): Parameter[] {
  const parameters: Parameter[] = []
  for (const [location, type] of [["path", operation.params] as const, ["query", operation.query] as const]) {
    if (!type) continue
    const { properties = {}, required = [] } = schema(type, "input") as {
      properties?: Record<string, JsonValue>
      required?: string[]
    }
    for (const [name, { description, example, ...property }] of Object.entries(properties)) {
      const needed = location === "path" || required.includes(name)
      const shown = example ?? (needed ? exampleFor(location, property, name) : undefined)
      parameters.push({
        name,
        in: location,
        required: needed,
        ...describedAs(description ?? (location === "path" ? PATH_PARAMETERS[name] : undefined)),
        schema: property,
        ...(shown !== undefined && { example: shown }),
      })
    }
  }
  for (const { name, description, required, example } of operation.headers ?? []) {
    parameters.push({ name, in: "header", required, description, schema: { type: "string" }, example })
  }
  return parameters
}

/** The example of an answer. An operation can replace fields of an object, but not the rows of a list. */
const answerExample = (made: unknown, { example }: Operation) =>
  Array.isArray(made) ? made : { ...(made as JsonValue), ...example?.answer }
