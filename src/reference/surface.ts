import * as z from "zod"
import { API_CODES, type ErrorCode } from "../base/errors.ts"
import type { Operation } from "../http/operation.ts"
import { errorUnion } from "./error-schemas.ts"

/** What an OpenAPI document says about all operations of a surface: who they are for, how to sign in, how errors look. */
export interface Surface {
  info: { title: string; version: string; description: string }
  /** By the name under which every operation asks for it. */
  securitySchemes: Record<string, object>
  /** The codes that every operation can answer. */
  codesOf(operation: Operation): ErrorCode[]
  errorSchema(status: number): z.ZodType
}

/** The codes of a wrong body. */
export const BODY_CODES: ErrorCode[] = [
  "INVALID_JSON",
  "PAYLOAD_TOO_LARGE",
  "REQUEST_TIMEOUT",
  "UNSUPPORTED_MEDIA_TYPE",
  "VALIDATION_FAILED",
]

const apiError = z
  .object({
    error: errorUnion(
      API_CODES,
      {
        message: z.string(),
        param: z.string().optional().meta({ description: "The field or parameter at fault." }),
        retryable: z.boolean().meta({ description: "Whether the same request may succeed later." }),
        request_id: z.string(),
      },
      { idOf: (name) => `${name}ErrorBody` },
    ),
  })
  .meta({ id: "Error" })

export const API_SURFACE: Surface = {
  info: {
    title: "Turnpike",
    version: "1",
    description: "Create isolated spaces, send turns to their agents, get text and an exact bill.",
  },
  securitySchemes: {
    api_key: {
      type: "http",
      scheme: "bearer",
      description: "`Authorization: Bearer <API_KEY>`. Keys are for servers only, never for browsers or mobile apps.",
    },
  },
  codesOf: ({ body }) => [
    // Of API keys that do not exist, every operation answers QUOTA_EXCEEDED after some.
    ...([
      "INVALID_API_KEY",
      "API_KEY_EXPIRED",
      "METHOD_NOT_ALLOWED",
      "QUOTA_EXCEEDED",
      "INTERNAL",
      "UNAVAILABLE",
    ] as const),
    ...(body ? BODY_CODES : []),
  ],
  errorSchema: () => apiError,
}
