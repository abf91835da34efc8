import { sql } from "kysely"
import { jsonArrayFrom } from "kysely/helpers/postgres"
import * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceNotFound } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceVisible } from "../actor/shares.ts"
import { toInstant } from "../base/time.ts"

export const serverFailureSchema = z
  .object({
    server: z.string().meta({ example: "docs" }),
    failures: z.int().meta({ description: "How often it did not answer, one after another.", example: 3 }),
    failing_since: z.iso.datetime(),
    failed_at: z.iso.datetime().meta({ description: "When a turn last asked it." }),
    paused_until: z.iso.datetime().meta({ description: "Until then, turns do not ask it." }),
    error: z.string().meta({ example: 'The MCP server "docs" cannot be reached.' }),
  })
  .meta({
    id: "McpServerFailure",
    description: "An optional MCP server that did not answer the last turn that asked it.",
  })

type ServerFailure = z.infer<typeof serverFailureSchema>

/** The optional servers of a space that did not answer lately, by name. Throws NOT_FOUND. */
export async function listServerFailures(
  ctx: Context,
  credential: Credential,
  spaceId: string,
): Promise<ServerFailure[]> {
  const { rows } = await readAs(ctx, credential, (db) =>
    db
      .selectFrom("spaces as s")
      .innerJoin("caller", (join) => join.onTrue())
      .where("s.slug", "=", spaceId)
      .where(spaceVisible(credential))
      .select((target) =>
        jsonArrayFrom(
          target
            .selectFrom("mcp_server_failures as f")
            .whereRef("f.space_id", "=", "s.space_id")
            .where(sql<boolean>`f.definition = s.mcp_servers -> f.name`)
            .select(["f.name as server", "f.failures", "f.failing_since", "f.failed_at", "f.paused_until", "f.error"])
            .orderBy("f.name"),
        ).as("failures"),
      ),
  )
  if (!rows[0]) throw spaceNotFound(spaceId)
  return rows[0].failures.map((one) => ({
    ...one,
    failing_since: toInstant(one.failing_since),
    failed_at: toInstant(one.failed_at),
    paused_until: toInstant(one.paused_until),
  }))
}
