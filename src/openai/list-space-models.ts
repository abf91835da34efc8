import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import type { Context } from "../actor/context.ts"
import { listSpaces } from "../spaces/list-spaces.ts"
import type { SpaceRow } from "../spaces/serialize-space.ts"
import { OPENAI_POLICY } from "./policies.ts"

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

/** The active spaces in the key's scope, newest first, up to `modelPages` pages. OpenAI's list has no pages. */
export async function listSpaceModels(ctx: Context, credential: Credential): Promise<SpaceRow[]> {
  const found: SpaceRow[] = []
  let cursor: string | null = null
  for (let page = 0; page < OPENAI_POLICY.modelPages; page++) {
    const { data, next_cursor } = await listSpaces(ctx, credential, {
      filters: { archived: "false" },
      limit: OPENAI_POLICY.modelPage,
      ...(cursor !== null && { cursor }),
    })
    found.push(...data)
    cursor = next_cursor
    if (cursor === null) break
  }
  return found
}
