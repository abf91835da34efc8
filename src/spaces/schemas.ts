import * as z from "zod"
import { metadataSchema } from "../metadata.ts"
import { manifestSchema } from "./manifest.ts"

export const createSpaceSchema = z
  .strictObject({
    title: z.string().trim().min(1).max(200).meta({ example: "Support desk" }),
    manifest: manifestSchema.optional(),
    model: z.string().min(1).max(128).optional().meta({ description: "The pin of the space's default model." }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "CreateSpace" })

export type CreateSpace = z.infer<typeof createSpaceSchema>

export const spaceSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c", description: "The `space` of its turns." }),
    title: z.string(),
    model: z.string().nullable(),
    manifest: manifestSchema,
    metadata: metadataSchema,
    config_version: z.int(),
    archived: z.boolean(),
    test: z.boolean(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Space" })

export type Space = z.infer<typeof spaceSchema>
