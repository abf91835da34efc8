import { z } from "zod"
import { ERROR_CODES, type ErrorCode } from "../errors.ts"

export const errorSchema = z
  .object({
    error: z.object({
      code: z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]),
      message: z.string(),
      param: z.string().optional().meta({ description: "The field or parameter at fault." }),
      details: z.unknown().optional(),
      retryable: z.boolean().meta({ description: "Whether the same request may succeed later." }),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" })

const ALWAYS: ErrorCode[] = ["INVALID_API_KEY", "API_KEY_EXPIRED", "INTERNAL", "UNAVAILABLE"]

/** The error answers of an operation, for its OpenAPI description: codes grouped by status. */
export function errorResponses(...codes: ErrorCode[]) {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of [...ALWAYS, ...codes]) {
    const { status } = ERROR_CODES[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [
      status,
      {
        description: list
          .map((code) => `\`${code}\`: ${ERROR_CODES[code].cause} ${ERROR_CODES[code].cure}`)
          .join("\n\n"),
        content: { "application/json": { schema: errorSchema } },
      },
    ]),
  )
}

export function jsonAnswer<T extends z.ZodType>(description: string, schema: T) {
  return { description, content: { "application/json": { schema } } }
}

export function jsonBody<T extends z.ZodType>(schema: T) {
  return { required: true as const, content: { "application/json": { schema } } }
}

export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ data: z.array(item), has_more: z.boolean(), next_cursor: z.string().nullable() })
}
