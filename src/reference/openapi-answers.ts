import { dialectStatus } from "../base/dialects.ts"
import { ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import type { Operation } from "../http/operation.ts"
import { ERROR_DETAILS } from "./error-schemas.ts"
import { exampleOf } from "./examples.ts"
import type { JsonValue } from "./json-value.ts"

/** Headers that many answers share, as components of the document. */
export const ANSWER_HEADERS: JsonValue = {
  RequestId: {
    description: "The request's id. Include it when you report a problem.",
    schema: { type: "string" },
    example: "req_01jd3k9m2x4t8r5w6y7z0a1b2c",
  },
  RetryAfter: {
    description: "The number of seconds to wait before you send the request again.",
    schema: { type: "integer", minimum: 1 },
    example: 30,
  },
}

const REQUEST_ID = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } }
const ALLOW = { Allow: { description: "The methods that the path supports.", schema: { type: "string" } } }
const RETRY_AFTER = { "Retry-After": { $ref: "#/components/headers/RetryAfter" } }

/** An error of an operation that redirects, for a browser. */
const ERROR_PAGE: JsonValue = { "text/html": { schema: { type: "string" } } }

/** Any other error of an operation that redirects. Its answer depends on where it is found. */
export const otherErrors = (schema: JsonValue): JsonValue => ({
  description: "Any error. A browser that accepts `text/html` gets a small page with a link to start again.",
  headers: answerHeaders(),
  content: { "application/json": { schema }, ...ERROR_PAGE },
})

/** The headers of an answer: its own and `X-Request-Id`, which all answers have. */
export function answerHeaders(own: Record<string, string> = {}): JsonValue {
  const described = Object.entries(own).map(([name, description]) => [
    name,
    { description, schema: { type: "string" } },
  ])
  return { ...Object.fromEntries(described), ...REQUEST_ID }
}

/**
 * The error answers of an operation: the codes of each status with cause, cure and an example. Operations with the same
 * codes share a component, which is named after them.
 */
export function errorAnswers(
  codes: ErrorCode[],
  {
    components,
    responses,
    schemaOf,
    operation: { dialect, answer },
  }: {
    components: JsonValue
    responses: JsonValue
    schemaOf: (status: number) => JsonValue
    operation: Pick<Operation, "dialect" | "answer">
  },
): JsonValue {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status: own } = ERROR_CODES[code]
    const status = dialect ? dialectStatus(own) : own
    byStatus.set(status, [...(byStatus.get(status) ?? []), code].sort())
  }
  const answers = [...byStatus]
    .sort(([a], [b]) => a - b)
    .map(([status, alike]) => {
      const isForBrowsers = answer.status === 302
      const name = [...(dialect ? [dialect] : isForBrowsers ? ["page"] : []), ...alike].join(".")
      // Computing a schema takes milliseconds, and a document has thousands of error answers but few components.
      responses[name] ??= errorAnswer(status, alike, schemaOf(status), { components, isForBrowsers })
      return [status, { $ref: `#/components/responses/${name}` }]
    })
  return Object.fromEntries(answers)
}

/** The component that an error answer refers to. */
export const sharedAnswer = (responses: JsonValue, answer: unknown): ErrorResponse =>
  responses[(answer as { $ref: string }).$ref.split("/").at(-1) as string] as ErrorResponse

export interface ErrorResponse {
  description: string
  content: { "application/json": { schema: JsonValue } }
}

interface ErrorAnswer {
  components: JsonValue
  /** A browser opens the operation, and gets the error as a page. */
  isForBrowsers: boolean
}

function errorAnswer(
  status: number,
  codes: ErrorCode[],
  schema: JsonValue,
  { components, isForBrowsers }: ErrorAnswer,
): JsonValue {
  const body = exampleOf(schema, { components }) as JsonValue
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_CODES[code].cause} ${ERROR_CODES[code].cure}`).join("\n\n"),
    headers: {
      ...REQUEST_ID,
      ...((status === 429 || status === 503) && RETRY_AFTER),
      ...(status === 405 && ALLOW),
    },
    content: {
      "application/json": {
        schema,
        examples: Object.fromEntries(codes.map((code) => [code, { value: withCode(body, code) }])),
      },
      ...(isForBrowsers && ERROR_PAGE),
    },
  }
}

/** Puts a code into an example error body: `{error: {code, …}}`, `{detail, code}`, or a 422 without a code. */
function withCode(body: JsonValue, code: ErrorCode): JsonValue {
  const { cause, retryable } = ERROR_CODES[code]
  const more = code in ERROR_DETAILS && { details: ERROR_DETAILS[code] }
  if (body.error) return { ...body, error: { ...body.error, code, message: cause, ...more, retryable } }
  return "code" in body ? { ...body, detail: cause, code, ...more } : body
}
