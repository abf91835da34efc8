import * as z from "zod"
import { schemaFault } from "./json-schema.ts"
import { jsonBytes } from "./request-parts.ts"

const MAX_WHEN_BYTES = 16 * 1024

const when = z
  .record(z.string(), z.unknown())
  .refine((schema) => jsonBytes(schema) <= MAX_WHEN_BYTES, {
    message: `is larger than ${MAX_WHEN_BYTES} bytes of JSON`,
    abort: true,
  })
  .superRefine((schema, context) => {
    const fault = schemaFault(schema)
    if (fault) context.addIssue({ code: "custom", message: fault })
  })
  .meta({
    description: "A JSON Schema (2020-12) of the input. A call whose input fits it waits for a decision.",
    example: { properties: { amount: { exclusiveMinimum: 50 } }, required: ["amount"] },
  })

/** Which calls of a tool wait for a decision of a person. */
export const approvalSchema = z.union([z.enum(["never", "always"]), z.strictObject({ when })]).meta({
  id: "Approval",
  description:
    "Whether calls of a tool wait until a person allows them: `never` (the default), `always`, or `when` the input fits a schema.",
})

export type Approval = z.infer<typeof approvalSchema>
