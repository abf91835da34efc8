import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { manifestSchema } from "../agent-config/manifest.ts"
import { mcpServerSchema } from "../agent-config/mcp-server.ts"
import { toolSchema } from "../agent-config/tool.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { CreatedFilters } from "../base/pagination.ts"
import { toInstant } from "../base/time.ts"
import type { SpaceRow } from "./serialize-space.ts"

const summary = {
  version: z.int(),
  change: z.string().meta({
    description:
      "The change that created the version: `created`, `model`, `manifest`, `tools/…`, `mcp-servers/…`, `secrets/…`.",
  }),
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
    description:
      "A version of a space's whole configuration. Turns use one version from start to end. Secrets are not part of it.",
  })

type Summary = z.infer<typeof configVersionSchema>

/**
 * Versions of a space's configuration below `before`, newest first. Returns up to `limit + 1`, so that the caller
 * sees if there are more.
 */
export async function listConfigVersions(
  ctx: Context,
  credential: Credential,
  {
    spaceId,
    before,
    limit,
    created_after,
    created_before,
  }: { spaceId: string; before: number; limit: number } & CreatedFilters,
): Promise<Summary[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((target) =>
        jsonArrayFrom(
          target
            .selectFrom("config_versions as c")
            .whereRef("c.space_id", "=", "s.space_id")
            .where("c.version", "<", before)
            .$if(created_after !== undefined, (page) => page.where("c.created_at", ">=", new Date(created_after ?? 0)))
            .$if(created_before !== undefined, (page) => page.where("c.created_at", "<", new Date(created_before ?? 0)))
            .select(["c.version", "c.change", "c.created_at"])
            .orderBy("c.version", "desc")
            .limit(limit + 1),
        ).as("versions"),
      ),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return rows[0].versions.map((version) => ({ ...version, created_at: toInstant(version.created_at) }))
}

/** One version with its whole configuration. Throws NOT_FOUND. */
export async function getConfigVersion(
  ctx: Context,
  credential: Credential,
  { spaceId, version }: { spaceId: string; version: number },
): Promise<z.infer<typeof wholeConfigVersionSchema>> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .innerJoin("config_versions as v", "v.space_id", "s.space_id")
      .innerJoin("space_configs as c", (join) =>
        join.onRef("c.space_id", "=", "v.space_id").onRef("c.version", "=", "v.version"),
      )
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .where("v.version", "=", version)
      .select(["v.change", "v.model", "v.created_at", "c.manifest", "c.tools", "c.mcp_servers"]),
  )
  if (!rows[0]) {
    throw new TurnpikeError("NOT_FOUND", `There is no version ${version} of a space "${spaceId}" that you can see.`)
  }
  const { change, model, created_at, ...config } = rows[0]
  const { manifest, tools, mcp_servers } = config as Pick<SpaceRow, "manifest" | "tools" | "mcp_servers">
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
