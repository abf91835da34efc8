import * as z from "zod"
import { manifestSchema } from "../agent-config/manifest.ts"
import { mcpServerSchema } from "../agent-config/mcp-server.ts"
import { secretName } from "../agent-config/names.ts"
import { secretValue } from "../agent-config/secret.ts"
import { toolSchema } from "../agent-config/tool.ts"
import { METADATA_BOUNDS, metadataSchema } from "../base/metadata.ts"
import { SPACE_POLICY } from "./policies.ts"

const differ = (things: { name: string }[]) => new Set(things.map(({ name }) => name)).size === things.length

const title = z.string().trim().min(1).max(200).meta({ description: "A name for people.", example: "Support desk" })
const pin = z.string().min(1).max(128)

export const createSpaceSchema = z
  .strictObject({
    title,
    manifest: manifestSchema.optional(),
    model: pin.optional().meta({ description: "The pin of the space's default model." }),
    tools: z
      .array(toolSchema)
      .max(SPACE_POLICY.maxTools)
      .refine(differ, "must have different names")
      .optional()
      .meta({ description: "The requests to your REST interface that the agent may make." }),
    mcp_servers: z
      .array(mcpServerSchema)
      .max(SPACE_POLICY.maxMcpServers)
      .refine(differ, "must have different names")
      .optional()
      .meta({ description: "MCP servers whose tools the agent has. Turns fail while one of them cannot be reached." }),
    secrets: z
      .record(secretName, secretValue)
      .refine((secrets) => Object.keys(secrets).length <= SPACE_POLICY.maxSecrets, `at most ${SPACE_POLICY.maxSecrets}`)
      .optional()
      .meta({ description: "Values by name. They are stored encrypted and never shown." }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "CreateSpace" })

export type CreateSpace = z.infer<typeof createSpaceSchema>

export const patchSpaceSchema = z
  .strictObject({
    title: title.optional(),
    model: pin
      .nullable()
      .optional()
      .meta({ description: "A pin, or null for the catalog's first model.", example: "rehearsal/standard" }),
    metadata: metadataSchema.optional().meta({
      description: `Replaces all metadata: ${METADATA_BOUNDS}.`,
    }),
  })
  .meta({ id: "PatchSpace", description: "Fields that you leave out stay as they are." })

export type PatchSpace = z.infer<typeof patchSpaceSchema>

export const spaceSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c", description: "The `space` of its turns." }),
    title: z.string(),
    model: z.string().nullable().meta({ description: "The pin of its default model; null: the service's." }),
    manifest: manifestSchema,
    tools: z.array(z.string()).meta({ description: "Names of its tools.", example: ["lookup_order"] }),
    mcp_servers: z.array(z.string()).meta({ description: "Names of its MCP servers.", example: ["docs"] }),
    metadata: metadataSchema,
    config_version: z.int().meta({ description: "The number of its configuration's current version." }),
    archived: z.boolean().meta({ description: "Whether it was archived: it can be read, but not changed or used." }),
    test: z.boolean().meta({ description: "Made with a test key: only test keys see it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Space" })

export type Space = z.infer<typeof spaceSchema>
