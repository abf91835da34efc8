import * as z from "zod"
import { approvalSchema } from "./approval.ts"
import { impossibleSchema } from "./impossible-schema.ts"
import { schemaFault } from "./json-schema.ts"
import { readsLocked } from "./locked-fields.ts"
import { toolName } from "./names.ts"
import { headersSchema, jsonBytes, templatedUrl } from "./request-parts.ts"
import { PLACEHOLDERS, wrongPlaceholder } from "./template.ts"
import { toolIdentity } from "./tool-identity.ts"
import { withVariables } from "./variables.ts"

export const MAX_TOOL_BYTES = 64 * 1024
const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

const inputSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => schema.type === "object", 'must be a JSON Schema with "type": "object"')
  .refine((schema) => jsonBytes(schema) <= MAX_TOOL_BYTES, {
    message: `is larger than ${MAX_TOOL_BYTES} bytes of JSON`,
    abort: true,
  })
  .superRefine((schema, context) => {
    const fault = schemaFault(schema)
    if (fault) return context.addIssue({ code: "custom", message: fault })
    const impossible = impossibleSchema(schema)
    if (impossible) context.addIssue({ code: "custom", ...impossible })
  })
  .meta({
    description:
      "The JSON Schema (2020-12) of the tool's input, with `type: object`. Patterns use RE2, which has no look-arounds and no back-references.",
    example: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
  })

const requestSchema = z
  .strictObject({
    method: z.enum(METHODS),
    url: templatedUrl,
    headers: headersSchema.optional(),
    query: z.record(z.string().min(1).max(128), z.string().max(4096)).optional().meta({
      description:
        "Query parameters. A parameter that is only a placeholder is left out if the input has no such value.",
    }),
    body: z
      .unknown()
      .optional()
      .meta({
        description:
          "The JSON body. Its texts can contain placeholders. A text that is only a placeholder becomes the value " +
          "itself, with its type. A body that is a text is sent unchanged. Default for POST, PUT and PATCH: " +
          "the input. The model neither sees nor fills a field whose value is taken from the turn, such as " +
          "`{{end_user.ref}}`.",
      }),
  })
  .refine((request) => !(request.method === "GET" && request.body !== undefined), "a GET request cannot have a body")
  .superRefine((request, context) => {
    const wrong = wrongPlaceholder(request)
    if (wrong !== null) {
      context.addIssue({ code: "custom", message: `${wrong} must be ${PLACEHOLDERS}` })
    }
    const read = readsLocked({ request })
    if (read !== null) {
      const message = `${read} has no value: the request fills this field from the turn, so the model does not send it`
      context.addIssue({ code: "custom", message })
    }
  })

/** The definition of a REST tool without its name, as PUT accepts it (docs/architecture/tools.md). */
export const toolFields = {
  description: withVariables(z.string().min(1).max(4000)).meta({
    description: "What the tool does. The model reads this text.",
    example: "Finds an order by its id.",
  }),
  input_schema: inputSchema,
  request: requestSchema.nullable().meta({
    description:
      "The request to your API. Null: your own worker takes the calls (`GET /v1/calls`), or your server sees them in `turn.waiting` " +
      "and sends their results.",
  }),
  approval: approvalSchema.optional(),
  answers_later: z
    .boolean()
    .optional()
    .meta({
      description:
        "Whether your server may respond with 202 and send the result later. Then each request carries " +
        "`Turnpike-Result-Url`, the address for the result, and `Turnpike-Result-Token`, with which the server can send it without an " +
        "API key: `Authorization: Bearer`. Default false.",
    }),
  identity: toolIdentity.optional(),
  timeout_seconds: z
    .int()
    .min(1)
    .max(120)
    .optional()
    .meta({ description: "The time limit of one call, in seconds. Default 30." }),
}

const smallEnough = (tool: unknown) => jsonBytes(tool) <= MAX_TOOL_BYTES
const tooLarge = `is larger than ${MAX_TOOL_BYTES} bytes of JSON`

export const toolSchema = z
  .strictObject({ name: toolName, ...toolFields })
  .refine(smallEnough, tooLarge)
  .meta({
    id: "Tool",
    description: "A tool of your own: a request to your API that the agent can make, or calls that your worker takes.",
  })

/** The body of PUT. The name is in the path; a name in the body must be the same. */
export const putToolSchema = z
  .strictObject({ name: toolName.optional(), ...toolFields })
  .refine(smallEnough, tooLarge)
  .meta({ id: "PutTool" })

export type Tool = z.infer<typeof toolSchema>
