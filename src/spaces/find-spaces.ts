import { jsonArrayFrom } from "kysely/helpers/postgres"
import type * as z from "zod"
import type { Credential } from "../actor/actor.ts"
import { readAs, spaceInScope } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { spaceSchema } from "./schemas.ts"
import { type SpaceRow, SUMMARY_COLUMNS, serializeSpace, titleHolds } from "./serialize-space.ts"

/** A space as a list shows it: without its configuration. */
export const spaceSummarySchema = spaceSchema
  .omit({ manifest: true, tools: true, mcp_servers: true })
  .meta({ id: "SpaceSummary" })

export function serializeSpaceSummary(row: SpaceRow): z.infer<typeof spaceSummarySchema> {
  const { manifest: _manifest, tools: _tools, mcp_servers: _servers, ...summary } = serializeSpace(row)
  return summary
}

export const ARCHIVED_FILTER = ["active", "archived", "all"] as const

export interface SpaceSearch {
  q?: string | undefined
  archived: (typeof ARCHIVED_FILTER)[number]
}

/** The spaces in the caller's scope, newest first, with their number. `q`: a part of the title, case-insensitive. */
export async function findSpaces(
  ctx: Context,
  credential: Credential,
  { search, limit, offset }: { search: SpaceSearch; limit: number; offset: number },
): Promise<{ spaces: SpaceRow[]; total: number }> {
  const { q, archived } = search
  const { rows } = await readAs(ctx, credential, (db) =>
    db.selectFrom("caller").select((caller) => {
      const found = caller
        .selectFrom("spaces as s")
        .whereRef("s.user_id", "=", "caller.user_id")
        .where(spaceInScope)
        .$if(q !== undefined && q !== "", (query) => query.where(titleHolds(q ?? "")))
        .$if(archived !== "all", (query) =>
          query.where("s.archived_at", archived === "archived" ? "is not" : "is", null),
        )
      const page = found.select(SUMMARY_COLUMNS).orderBy("s.slug", "desc").limit(limit).offset(offset)
      return [found.select((eb) => eb.fn.countAll<number>().as("total")).as("total"), jsonArrayFrom(page).as("spaces")]
    }),
  )
  const { total, spaces = [] } = rows[0] ?? {}
  const none = { manifest: {}, tools: {}, mcp_servers: {} }
  return { total: total ?? 0, spaces: spaces.map((space) => ({ ...space, ...none }) as SpaceRow) }
}
