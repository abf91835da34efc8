import * as z from "zod"
import { invalid } from "../base/invalid-field.ts"
import { toInstant } from "../base/time.ts"
import type { SpaceRow } from "../spaces/serialize-space.ts"

export const messageModelSchema = z
  .object({
    type: z.literal("model"),
    id: z.string().meta({ description: "The `space_id`.", example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    display_name: z.string().meta({ description: "The title of the space.", example: "Support desk" }),
    created_at: z.iso.datetime(),
  })
  .meta({ id: "MessageModel" })

export const messageModelsSchema = z
  .object({
    data: z.array(messageModelSchema),
    has_more: z.boolean().meta({ example: false }),
    first_id: z.string().nullable().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    last_id: z.string().nullable().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
  })
  .meta({ id: "MessageModels" })

/** A space as a model of Anthropic's API. */
export const serializeMessageModel = ({ slug, title, created_at }: SpaceRow): z.input<typeof messageModelSchema> => ({
  type: "model",
  id: slug,
  display_name: title,
  created_at: toInstant(created_at),
})

interface Page {
  limit: number
  after_id?: string | undefined
  before_id?: string | undefined
}

/** A page of models, after or before one of them. Throws VALIDATION_FAILED for any other id. */
export function pageOfModels(
  spaces: readonly SpaceRow[],
  { limit, after_id: after, before_id: before }: Page,
): z.input<typeof messageModelsSchema> {
  const placeOf = (id: string, param: string) => {
    const place = spaces.findIndex(({ slug }) => slug === id)
    if (place < 0) throw invalid("is no model of this key", param)
    return place
  }
  const from = after === undefined ? 0 : placeOf(after, "after_id") + 1
  const to = before === undefined ? spaces.length : placeOf(before, "before_id")
  const within = spaces.slice(from, to)
  const data = (before === undefined ? within.slice(0, limit) : within.slice(-limit)).map(serializeMessageModel)
  return {
    data,
    has_more: within.length > data.length,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}
