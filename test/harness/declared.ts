import { type AnySchema, type Schemas, strictChecks } from "./json-schema.ts"

export interface Parameter {
  name: string
  in: "path" | "query" | "header"
  required: boolean
  schema: AnySchema
}

interface Media {
  schema: AnySchema
}

interface DeclaredAnswer {
  $ref?: string
  description: string
  headers?: Record<string, unknown>
  content?: Record<string, Media>
}

export interface DeclaredOperation {
  "x-dialect"?: string
  operationId: string
  parameters?: Parameter[]
  requestBody?: { content: Record<string, Media> }
  responses: Record<string, DeclaredAnswer>
}

export interface OpenApi {
  paths: Record<string, Record<string, DeclaredOperation>>
  components: { schemas: Schemas; responses?: Record<string, DeclaredAnswer> }
}

/** The documents as the service serves them, by the beginning of their operations' paths. */
export const DOCUMENTS = {
  "/v1/": { path: "/v1/openapi.json", surface: "v1" },
  "/api/": { path: "/api/openapi.json", surface: "dashboard" },
} as const

/** Both surfaces have operations with the same id, such as `getTurn`. */
export const documentedName = (surface: string, { operationId }: DeclaredOperation): string =>
  `${surface} ${operationId}`

/** Whether an answer is what its operation is for. One without the declared body shows less. */
export const isSuccess = (method: string, status: number): boolean =>
  method !== "HEAD" && status < 400 && status !== 304

export interface SeenAnswer {
  method: string
  response: Response
  /** Null: the body is not read, such as that of a stream. */
  text: string | null
  /** The test makes the service fail. */
  mayFail?: boolean
}

const STRING = /"(?:[^"\\]|\\.)*"/g

/** Numbers from 1e-19 to 1e-6; a smaller number is not an amount. */
const EXPONENT = /\de-(0?[7-9]|1\d)(?!\d)/

/**
 * Valid statuses for a method that a path does not support, since the caller and the body are
 * checked first.
 */
const NO_METHOD = [401, 404, 405, 413, 415, 422]

/** The form of errors on each surface: their schemas, the place of the code, and the challenge of a 401. */
const SURFACES = {
  v1: { isError: () => "Error", asks: "Bearer" },
  dashboard: {
    isError: (status: number) => (status === 422 ? "HTTPValidationError" : "DashboardError"),
    asks: "Cookie",
  },
}

/** Checks an answer against the OpenAPI document of a surface. Returns the violations. */
export function declaredAnswers({ components }: OpenApi, surface: keyof typeof SURFACES = "v1") {
  const { isError, asks } = SURFACES[surface]
  const checkOf = strictChecks(components.schemas)

  return function faultsOf(operation: DeclaredOperation | undefined, seen: SeenAnswer): string[] {
    const { method, response, text, mayFail = false } = seen
    const { status, headers } = response
    const faults: string[] = []
    const demand = (holds: boolean, fault: string) => holds || faults.push(fault)
    demand(status < 500 || mayFail, "the service failed")
    demand(/^req_[0-9a-z]{26}$/.test(headers.get("x-request-id") ?? ""), "no X-Request-Id")
    // A worker whose variables are wrong measures nothing.
    demand(headers.get("server-timing") !== null || status === 503, "no Server-Timing")
    demand(!EXPONENT.test(text?.replace(STRING, "") ?? ""), "an amount with an exponent")
    if (status === 401) demand(headers.get("www-authenticate") === asks, "401 without WWW-Authenticate")
    if (status === 405) demand((headers.get("allow") ?? "") !== "", "405 without Allow")
    if (!operation) demand(NO_METHOD.includes(status), `${status} for a method that is not there`)
    const shared = operation?.responses[status] ?? operation?.responses.default
    const declared = shared?.$ref ? components.responses?.[shared.$ref.split("/").at(-1) as string] : shared
    if (operation) demand(declared !== undefined, `${status} is not declared`)
    if (method === "HEAD") {
      demand(!text, "HEAD with a body")
      return faults
    }
    if (!declared && operation) return faults
    const type = headers.get("content-type")?.split(";")[0]?.trim() ?? ""
    if (status >= 400 && type !== "text/html") {
      const body = parse(text ?? "")
      demand(headers.get("content-type") === "application/json", "an error that is not JSON")
      const name = errorSchemaOf(operation ? operation["x-dialect"] : dialectIn(body)) ?? isError(status)
      const schema = declared?.content?.["application/json"]?.schema ?? { $ref: `#/components/schemas/${name}` }
      faults.push(...checkOf(schema)(body))
      const { error, code = error?.code } = (body ?? {}) as {
        error?: { code?: string; request_id?: string }
        code?: string
      }
      if (surface === "v1" && error)
        demand(error.request_id === headers.get("x-request-id"), "a request_id that differs from X-Request-Id")
      if (operation?.responses[status] && code)
        demand(declared?.description.includes(`\`${code}\``) ?? false, `${code} is not declared`)
    }
    if (!declared) return faults
    if (!declared.content) {
      demand(!text, "a body that is not declared")
      return faults
    }
    const media = declared.content[type] ?? declared.content["*/*"]
    if (!media) return [...faults, `the type ${type} is not declared`]
    if (status < 400 && type === "application/json" && media === declared.content[type] && text !== null)
      faults.push(...checkOf(media.schema)(parse(text)))
    for (const name of ["Location", "ETag"]) {
      if (name in (declared.headers ?? {})) demand(headers.get(name) !== null, `no ${name}`)
    }
    return faults
  }
}

/** The schema of errors of a dialect. */
export const errorSchemaOf = (dialect: string | undefined): string | undefined =>
  dialect === "openai" ? "OpenAiError" : dialect === "anthropic" ? "AnthropicError" : undefined

/** Errors of OpenAI's form have a type, and those of Anthropic's two. */
function dialectIn(body: unknown): string | undefined {
  const { type, error } = (body ?? {}) as { type?: string; error?: { type?: string } }
  return type === "error" ? "anthropic" : error?.type === undefined ? undefined : "openai"
}

/** Null for a text that is not JSON: no answer is null. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
