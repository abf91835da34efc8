import * as z from "zod"
import { isFields } from "../base/fields.ts"
import { createTurnSchema } from "../turns/schemas.ts"

const turn = createTurnSchema.shape

/** Clients of both services send null for fields that are not set. */
export const withoutNulls = (value: unknown): unknown =>
  isFields(value) ? Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)) : value

/** A field without an effect that a caller would miss. */
export const ignored = (reason: string) =>
  z
    .unknown()
    .optional()
    .meta({ description: `Ignored: ${reason}.` })

/** A field that a caller would rely on and that no turn can honour. */
export const refused = (error: string) =>
  z
    .never({ error })
    .optional()
    .meta({ description: `Refused: ${error}.` })

export const outputField = turn.max_output_tokens

/** Clients send one sequence, or a list that may be empty. */
export const stopField = z
  .preprocess(
    (value) => (typeof value === "string" ? [value] : Array.isArray(value) && value.length === 0 ? undefined : value),
    turn.stop,
  )
  .optional()
  .meta({ description: "One sequence, or up to four. The reply ends before the first of them." })
