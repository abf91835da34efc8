import * as z from "zod"
import { formatFields, type ResponseFormat } from "../agent-config/response-format.ts"

const { name, description, schema } = formatFields

/** The fields of a form with a schema. OpenAI's clients send null for fields that are not set. */
const schemaFields = {
  name,
  description: description.nullable(),
  schema,
  strict: z
    .boolean()
    .nullish()
    .meta({ description: "Ignored: every reply is checked, and the provider is strict if the schema allows it." }),
}

const any = z.object({ type: z.literal("text") })
const object = z.object({ type: z.literal("json_object") })

/** `response_format` of a chat completion. */
export const chatFormatSchema = z
  .discriminatedUnion("type", [
    any,
    object,
    z.object({ type: z.literal("json_schema"), json_schema: z.object(schemaFields) }),
  ])
  .meta({ id: "ChatResponseFormat", description: "The form of the reply. See [Results with a form](/docs/results)." })

/** `text.format` of a response. */
export const textFormatSchema = z
  .discriminatedUnion("type", [any, object, z.object({ type: z.literal("json_schema"), ...schemaFields })])
  .meta({ id: "ResponseTextFormat", description: "The form of the reply. See [Results with a form](/docs/results)." })

/** The form as a turn has it; undefined if the request has none. */
export function turnFormatOf(
  format: z.output<typeof chatFormatSchema> | z.output<typeof textFormatSchema> | undefined,
): ResponseFormat | undefined {
  if (format?.type !== "json_schema") return format
  const { name, description, schema } = "json_schema" in format ? format.json_schema : format
  return {
    type: "json_schema",
    name,
    ...(description !== null && description !== undefined && { description }),
    schema,
  }
}

/** The form of a turn as a response shows it. */
export const shownFormatOf = (format: ResponseFormat | null): z.input<typeof textFormatSchema> =>
  format?.type === "json_schema" ? { ...format, strict: true } : (format ?? { type: "text" })
