import { sql } from "kysely"
import * as z from "zod"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { toInstant } from "../time.ts"
import { spaceNotFound } from "./get-space.ts"
import { manifestSchema } from "./manifest.ts"
import { mcpServerSchema } from "./mcp-server.ts"
import { toolSchema } from "./tool.ts"

const summary = {
  version: z.int(),
  change: z
    .string()
    .meta({ description: "What made it: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`, `secrets/…`." }),
  created_at: z.iso.datetime(),
}

export const configVersionSchema = z.object(summary).meta({ id: "ConfigVersionSummary" })

export const wholeConfigVersionSchema = z
  .object({
    ...summary,
    model: z.string().nullable(),
    manifest: manifestSchema,
    tools: z.array(toolSchema),
    mcp_servers: z.array(mcpServerSchema),
  })
  .meta({
    id: "ConfigVersion",
    description: "A space's whole configuration, as a turn ran on it. Secrets are not part of it.",
  })

type Summary = z.infer<typeof configVersionSchema>

/** Versions of a space's configuration below `before`, newest first, at most `limit` and one more. */
export async function listConfigVersions(
  ctx: Context,
  credential: Credential,
  { spaceId, before, limit }: { spaceId: string; before: number; limit: number },
): Promise<Summary[]> {
  const { row } = await queryAs<{ found: boolean; versions: Summary[] }>(ctx, credential, {
    ctes: target(spaceId),
    select: sql`select exists (select 1 from target) as found, coalesce((
      select jsonb_agg(jsonb_build_object('version', v.version, 'change', v.change, 'created_at', v.created_at)
        order by v.version desc)
      from (
        select c.* from space_configs c, target where c.space_id = target.space_id and c.version < ${before}
        order by c.version desc limit ${limit + 1}
      ) v), '[]') as versions`,
  })
  if (!row.found) throw spaceNotFound(spaceId)
  return row.versions.map((version) => ({ ...version, created_at: toInstant(version.created_at) }))
}

/** One version, whole; NOT_FOUND. */
export async function getConfigVersion(
  ctx: Context,
  credential: Credential,
  { spaceId, version }: { spaceId: string; version: number },
): Promise<z.infer<typeof wholeConfigVersionSchema>> {
  type Whole = Omit<z.infer<typeof wholeConfigVersionSchema>, "tools" | "mcp_servers"> & {
    tools: Record<string, z.infer<typeof toolSchema>>
    mcp_servers: Record<string, z.infer<typeof mcpServerSchema>>
  }
  const { row } = await queryAs<{ version: Whole | null }>(ctx, credential, {
    ctes: target(spaceId),
    select: sql`select (select to_jsonb(c) from space_configs c, target
      where c.space_id = target.space_id and c.version = ${version}) as version`,
  })
  if (!row.version) {
    throw new TurnpikeError("NOT_FOUND", `There is no version ${version} of a space "${spaceId}" that you can see.`)
  }
  const { change, model, manifest, tools, mcp_servers, created_at } = row.version
  return {
    version,
    change,
    created_at: toInstant(created_at),
    model,
    manifest,
    tools: Object.values(tools),
    mcp_servers: Object.values(mcp_servers),
  }
}

function target(spaceId: string) {
  return sql`target as materialized (select s.space_id from spaces s, caller where s.slug = ${spaceId} and ${inScope})`
}
