import * as z from "zod"
import { manifestSchema } from "../agent-config/manifest.ts"
import { mcpServerSchema } from "../agent-config/mcp-server.ts"
import { secretName } from "../agent-config/names.ts"
import { secretValue } from "../agent-config/secret.ts"
import { toolSchema } from "../agent-config/tool.ts"
import { METADATA_BOUNDS, metadataSchema } from "../base/metadata.ts"
import { isPlain, PLAIN_FAULT } from "../base/plain-text.ts"
import { SPACE_POLICY } from "./policies.ts"

const differ = (things: { name: string }[]) => new Set(things.map(({ name }) => name)).size === things.length

const title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine(isPlain, PLAIN_FAULT)
  .meta({ description: "The display name of the space.", example: "Support desk" })
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
      .meta({ description: "REST tools: requests to your API that the agent can make." }),
    mcp_servers: z
      .array(mcpServerSchema)
      .max(SPACE_POLICY.maxMcpServers)
      .refine(differ, "must have different names")
      .optional()
      .meta({
        description: "MCP servers whose tools the agent can call. Turns fail while one of the servers is unreachable.",
      }),
    secrets: z
      .record(secretName, secretValue)
      .refine((secrets) => Object.keys(secrets).length <= SPACE_POLICY.maxSecrets, `at most ${SPACE_POLICY.maxSecrets}`)
      .optional()
      .meta({ description: "Secret values by name. They are stored encrypted and never shown." }),
    metadata: metadataSchema.optional(),
  })
  .meta({ id: "CreateSpace" })

export type CreateSpace = z.infer<typeof createSpaceSchema>

export const patchSpaceSchema = z
  .strictObject({
    title: title.optional(),
    model: pin.nullable().optional().meta({
      description: "The pin of the default model. Null: the catalog's first model.",
      example: "rehearsal/standard",
    }),
    metadata: metadataSchema.optional().meta({
      description: `Replaces all metadata: ${METADATA_BOUNDS}.`,
    }),
  })
  .meta({ id: "PatchSpace", description: "Fields that you leave out keep their values." })

export type PatchSpace = z.infer<typeof patchSpaceSchema>

export const spaceSchema = z
  .object({
    space_id: z.string().meta({
      example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
      description: "The id of the space, which turns send as `space`.",
    }),
    title: z.string(),
    model: z
      .string()
      .nullable()
      .meta({ description: "The pin of the default model of its turns; null: the catalog's first model." }),
    manifest: manifestSchema,
    tools: z.array(z.string()).meta({ description: "The names of its tools.", example: ["lookup_order"] }),
    mcp_servers: z.array(z.string()).meta({ description: "The names of its MCP servers.", example: ["docs"] }),
    metadata: metadataSchema,
    config_version: z.int().meta({ description: "The number of the current version of its configuration." }),
    archived: z
      .boolean()
      .meta({ description: "True if the space is archived. You can read it, but not change or use it." }),
    test: z.boolean().meta({ description: "True if the space is test data. Only test keys can access it." }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: "Space" })

export type Space = z.infer<typeof spaceSchema>
