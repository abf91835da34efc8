import * as z from "zod"
import { type Fields, isFields } from "../base/fields.ts"
import type { ResultForm } from "../base/result-form.ts"
import { inDraft2020 } from "./draft-2020.ts"
import { atSameValue, impossibleSchema } from "./impossible-schema.ts"
import { schemaFault } from "./json-schema.ts"
import { FORMAT_POLICY } from "./policies.ts"
import { jsonBytes } from "./request-parts.ts"
import { unsatisfiable } from "./unsatisfiable-schema.ts"

/** The drafts of JSON Schema that a schema can name. */
const DRAFTS = /^https?:\/\/json-schema\.org\/(?:draft-0[4-7]\/|draft\/(?:2019-09|2020-12)\/)?schema#?$/

const resultSchema = z
  .record(z.string(), z.unknown())
  .refine((schema) => jsonBytes(schema) <= FORMAT_POLICY.bytes, {
    message: `is larger than ${FORMAT_POLICY.bytes} bytes of JSON`,
    abort: true,
  })
  .superRefine((schema, context) => {
    const fault = faultOf(schema)
    if (fault) context.addIssue({ code: "custom", ...fault })
  })
  .meta({
    description:
      "The JSON Schema of the result, of draft 4 to 2020-12. References stay within the schema. Patterns use RE2, which has no " +
      "look-arounds and no back-references.",
    example: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  })

function faultOf(given: Fields): { path?: (string | number)[]; message: string } | null {
  const { $schema } = given
  if ($schema !== undefined && !(typeof $schema === "string" && DRAFTS.test($schema))) {
    return { path: ["$schema"], message: "must name a draft of JSON Schema from 4 to 2020-12, or be left out" }
  }
  const unusable = schemaFault(given, { mostRefs: FORMAT_POLICY.refs })
  if (unusable) return { message: unusable }
  const schema = inDraft2020(given)
  return sizeFault(schema) ?? impossibleSchema(schema) ?? expansionFault(schema) ?? unsatisfiable(schema)
}

/** The fault of a schema with too many properties or listed values. */
function sizeFault(schema: Fields): { message: string } | null {
  const count = { properties: 0, values: 0 }
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const one of part) visit(one)
    if (!isFields(part)) return
    for (const [key, value] of Object.entries(part)) {
      if (key === "enum" && Array.isArray(value)) count.values += value.length
      else if (key !== "const" && key !== "default" && key !== "examples") {
        if (key === "properties" && isFields(value)) count.properties += Object.keys(value).length
        visit(value)
      }
    }
  }
  visit(schema)
  for (const kind of ["properties", "values"] as const) {
    if (count[kind] > FORMAT_POLICY[kind]) {
      return {
        message: `has ${count[kind]} ${kind === "values" ? "values of enum" : kind}, more than ${FORMAT_POLICY[kind]}`,
      }
    }
  }
  return null
}

/** The fault of a schema whose references multiply. No reference may lead to itself at the same value. */
function expansionFault(root: Fields): { message: string } | null {
  const known = new Map<Fields, number>()
  const sizeOf = (schema: unknown): number => {
    if (!isFields(schema)) return 1
    const done = known.get(schema)
    if (done !== undefined) return done
    const size = atSameValue(root, schema).reduce<number>(
      (sum, part) => sum + (part === undefined ? 0 : sizeOf(part)),
      1,
    )
    known.set(schema, size)
    return size
  }
  const largest = (part: unknown): number => {
    if (typeof part !== "object" || part === null) return 0
    const inner = Object.values(part).reduce<number>((most, one) => Math.max(most, largest(one)), 0)
    return Math.max(inner, isFields(part) ? sizeOf(part) : 0)
  }
  if (largest(root) <= FORMAT_POLICY.expansion) return null
  return {
    message: `puts more than ${FORMAT_POLICY.expansion} schemas on one value, by its references and combinations`,
  }
}

/** The fields of a form with a schema. */
export const formatFields = {
  name: z
    .string()
    .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must have 1 to 64 letters, digits, _ and -")
    .meta({ description: "A name for the form, which the model may read.", example: "place" }),
  description: z.string().max(2_000).optional().meta({ description: "What the result is. The model reads it." }),
  schema: resultSchema,
}

export const responseFormatSchema = z
  .discriminatedUnion("type", [
    z.strictObject({ type: z.literal("text") }),
    z.strictObject({ type: z.literal("json_object") }),
    z.strictObject({ type: z.literal("json_schema"), ...formatFields }),
  ])
  .meta({
    id: "ResponseFormat",
    description:
      "The form of the result. `text`: any text. `json_object`: a JSON object. `json_schema`: JSON that fits a schema. " +
      "See [Results with a form](/docs/results).",
  })

/** The form as a turn asks for it, and as the turn shows it. */
export const askedFormatSchema = responseFormatSchema
  .optional()
  .meta({ description: "The form of the result. Default: as the manifest says, or any text." })
export const shownFormatSchema = responseFormatSchema.nullable().meta({
  description: "The form of the result, as sent. Null: the manifest of its space says it.",
  example: null,
})

export type ResponseFormat = z.infer<typeof responseFormatSchema>

/** The form that a response format asks for; null: any text. */
export function resultFormOf(format: ResponseFormat | null | undefined): ResultForm | null {
  if (!format || format.type === "text") return null
  if (format.type === "json_object") return { type: "json_object", name: "result", schema: { type: "object" } }
  const { type, name, description, schema } = format
  return { type, name, ...(description !== undefined && { description }), schema: inDraft2020(schema) }
}
