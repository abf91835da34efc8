import * as z from "zod"
import { type Treatment, treatmentOf } from "../openai/common-fields.ts"
import { createChatCompletionSchema } from "../openai/create-chat-completion.ts"
import { createResponseSchema } from "../openai/create-response.ts"

interface FieldRow {
  field: string
  treatment: Treatment
  text: string
}

const FIELDS = {
  chat: createChatCompletionSchema.out.shape,
  responses: createResponseSchema.out.shape,
} satisfies Record<string, Record<string, z.ZodType>>

/** How an operation treats each field of its request, from the field's description. */
export const openAiFields = (operation: keyof typeof FIELDS): FieldRow[] =>
  Object.entries<z.ZodType>(FIELDS[operation])
    .map(([field, schema]) => {
      const description = descriptionOf(schema)
      if (description === undefined) throw new Error(`The field ${field} has no description.`)
      return { field, treatment: treatmentOf(description), text: description }
    })
    .toSorted((a, b) => a.field.localeCompare(b.field, "en"))

const descriptionOf = (field: z.ZodType): string | undefined =>
  field.description ?? (field instanceof z.ZodOptional ? descriptionOf(field.unwrap() as z.ZodType) : undefined)

/** The same as a table in Markdown. */
export function openAiFieldsTable(operation: keyof typeof FIELDS): string {
  const rows = openAiFields(operation).map(({ field, treatment, text }) => {
    const told = treatment === "honoured" ? text : text.replace(/^(Ignored|Refused)(: |, )/, "")
    return `| \`${field}\` | ${treatment} | ${told.replaceAll("|", "\\|").replace(/^[a-z]/, (first) => first.toUpperCase())} |`
  })
  return ["| Field | Treatment | Meaning or reason |", "| --- | --- | --- |", ...rows].join("\n")
}
