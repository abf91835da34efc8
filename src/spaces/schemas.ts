import * as z from "zod"
import { metadataSchema } from "../metadata.ts"
import { manifestSchema } from "./manifest.ts"
import { mcpServerSchema } from "./mcp-server.ts"
import { secretName } from "./names.ts"
import { SPACE_POLICY } from "./policies.ts"
import { secretValue } from "./secret.ts"
import { toolSchema } from "./tool.ts"

const differ = (things: { name: string }[]) => new Set(things.map(({ name }) => name)).size === things.length

export const createSpaceSchema = z
  .strictObject({
    title: z.string().trim().min(1).max(200).meta({ example: "Support desk" }),
    manifest: manifestSchema.optional(),
    model: z.string().min(1).max(128).optional().meta({ description: "The pin of the space's default model." }),
    tools: z.array(toolSchema).max(SPACE_POLICY.maxTools).refine(differ, "names must differ").optional(),
    mcp_servers: z
      .array(mcpServerSchema)
      .max(SPACE_POLICY.maxMcpServers)
      .refine(differ, "names must differ")
      .optional(),
    secrets: z
      .record(secretName, secretValue)
      .refine((secrets) => Object.keys(secrets).length <= SPACE_POLICY.maxSecrets, `at most ${SPACE_POLICY.maxSecrets}`)
      .optional()
      .meta({ description: "Values by name. They are stored encrypted and never shown." }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "CreateSpace" })

export type CreateSpace = z.infer<typeof createSpaceSchema>

export const spaceSchema = z
  .object({
    space_id: z.string().meta({ example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c", description: "The `space` of its turns." }),
    title: z.string(),
    model: z.string().nullable().meta({ description: "The pin of its default model; null: the service's." }),
    manifest: manifestSchema,
    tools: z.array(z.string()).meta({ description: "Names of its tools.", example: ["lookup_order"] }),
    mcp_servers: z.array(z.string()).meta({ description: "Names of its MCP servers.", example: ["docs"] }),
    metadata: metadataSchema,
    config_version: z.int().meta({ description: "Counts the changes of its configuration." }),
    archived: z.boolean(),
    test: z.boolean().meta({ description: "Made with a test key: only test keys see it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Space" })

export type Space = z.infer<typeof spaceSchema>
