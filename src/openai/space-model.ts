import * as z from "zod"
import type { Context } from "../actor/context.ts"
import type { SpaceRow } from "../spaces/serialize-space.ts"

export const spaceModelSchema = z
  .object({
    id: z.string().meta({ description: "The `space_id`.", example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    object: z.literal("model"),
    created: z.int().meta({ example: 1_768_469_400 }),
    owned_by: z.string().meta({ example: "turnpike" }),
    name: z.string().meta({ description: "Not a field of OpenAI: the title of the space.", example: "Support desk" }),
  })
  .meta({ id: "SpaceModel" })

export const spaceModelsSchema = z
  .object({ object: z.literal("list"), data: z.array(spaceModelSchema) })
  .meta({ id: "SpaceModels" })

/** A space as a model of OpenAI's API. */
export const serializeSpaceModel = (
  { brand }: Context,
  { slug, title, created_at }: SpaceRow,
): z.input<typeof spaceModelSchema> => ({
  id: slug,
  object: "model",
  created: Math.floor(new Date(created_at).getTime() / 1000),
  owned_by: brand,
  name: title,
})
