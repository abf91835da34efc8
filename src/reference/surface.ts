import * as z from "zod"
import type { Dialect } from "../base/dialects.ts"
import { API_CODES, ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import { ROLE_RIGHTS } from "../base/member-roles.ts"
import { rightOf } from "../base/operation-rights.ts"
import type { Operation } from "../http/operation.ts"
import { errorUnion } from "./error-schemas.ts"

/** The parts of an OpenAPI document that concern all operations of an API: title, authentication and errors. */
export interface Surface {
  info: { title: string; version: string; description: string }
  /** By name. Every operation requires all of these schemes, unless it is open. */
  securitySchemes: Record<string, object>
  /** The codes that every operation can return. */
  codesOf(operation: Operation): ErrorCode[]
  /** The codes that no caller of this surface can get, whatever a verb throws. */
  foreign: readonly ErrorCode[]
  errorSchema(status: number, operation: Operation): z.ZodType
}

/** The codes for an invalid body. */
export const BODY_CODES: ErrorCode[] = [
  "INVALID_JSON",
  "PAYLOAD_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_FAILED",
]

/** The fields of every error besides its code and details. */
const shapeWith = <Param extends z.ZodType>(param: Param) => ({
  message: z.string(),
  param,
  retryable: z.boolean().meta({ description: "True if the same request can succeed later." }),
  request_id: z.string(),
})

const PARAM = "The field or parameter that is wrong."

const apiError = z
  .object({
    error: errorUnion(API_CODES, shapeWith(z.string().optional().meta({ description: PARAM })), {
      idOf: (name) => `${name}ErrorBody`,
    }),
  })
  .meta({ id: "Error" })

const openAiErrorSchema = z
  .object({
    error: errorUnion(
      API_CODES,
      {
        ...shapeWith(z.string().nullable().meta({ description: PARAM, example: null })),
        type: z.string().meta({
          description: "A group of errors, as OpenAI names it. Decide by `code` or the status instead.",
          example: "invalid_request_error",
        }),
      },
      { idOf: (name) => `${name}OpenAiErrorBody` },
    ),
  })
  .meta({ id: "OpenAiError" })

const anthropicErrorSchema = z
  .object({
    type: z.literal("error"),
    error: errorUnion(
      API_CODES,
      {
        ...shapeWith(z.string().optional().meta({ description: PARAM })),
        type: z.string().meta({
          description: "A group of errors, as Anthropic names it. Decide by `code` or the status instead.",
          example: "invalid_request_error",
        }),
      },
      { idOf: (name) => `${name}AnthropicErrorBody` },
    ),
    request_id: z.string(),
  })
  .meta({ id: "AnthropicError" })

/** The form of errors in each dialect. */
const DIALECT_ERRORS: Record<Dialect, z.ZodType> = { openai: openAiErrorSchema, anthropic: anthropicErrorSchema }

export const API_SURFACE: Surface = {
  info: {
    title: "Turnpike",
    version: "1",
    description: "Create isolated spaces, send turns to their agents, and get text and an exact bill.",
  },
  securitySchemes: {
    api_key: {
      type: "http",
      scheme: "bearer",
      description: "`Authorization: Bearer <API_KEY>`. Keys are for servers only, never for browsers or mobile apps.",
    },
  },
  foreign: (Object.keys(ERROR_CODES) as ErrorCode[]).filter((code) => !API_CODES.includes(code)),
  codesOf: ({ body, ...operation }) => [
    // A key that a developer made has no other rights.
    ...(ROLE_RIGHTS.developer.includes(rightOf(operation) ?? "self") ? [] : (["ROLE_REQUIRED"] as const)),
    // Requests with unknown API keys are limited by IP address.
    ...([
      "INVALID_API_KEY",
      "API_KEY_EXPIRED",
      "HTTPS_REQUIRED",
      "METHOD_NOT_ALLOWED",
      "TOO_MANY_UNKNOWN_KEYS",
      "INTERNAL",
      "UNAVAILABLE",
    ] as const),
    ...(body ? BODY_CODES : []),
  ],
  errorSchema: (_status, { dialect }) => (dialect ? DIALECT_ERRORS[dialect] : apiError),
}
