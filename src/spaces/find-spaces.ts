import { type RawBuilder, sql } from "kysely"
import type * as z from "zod"
import type { Context } from "../context.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { spaceSchema } from "./schemas.ts"
import { type SpaceRow, serializeSpace } from "./serialize-space.ts"

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

/** The spaces in the caller's scope, newest first, with how many there are. `q`: a part of the title, in any case. */
export async function findSpaces(
  ctx: Context,
  credential: Credential,
  { search, limit, offset }: { search: SpaceSearch; limit: number; offset: number },
): Promise<{ spaces: SpaceRow[]; total: number }> {
  const where: RawBuilder<unknown>[] = [sql`s.user_id = (select user_id from caller)`, inScope]
  if (search.q) where.push(sql`position(lower(${search.q}::text) in lower(s.title)) > 0`)
  if (search.archived !== "all")
    where.push(sql`(s.archived_at is not null) = ${search.archived === "archived"}::boolean`)
  const all = sql`from spaces s, caller where ${sql.join(where, sql` and `)}`
  const { row } = await queryAs<{ spaces: SpaceRow[]; total: number }>(ctx, credential, {
    select: sql`select (select count(*)::integer ${all}) as total, coalesce((
      select jsonb_agg(found.space order by found.slug desc) from (
        select s.slug, to_jsonb(s) || '{"manifest": {}, "tools": {}, "mcp_servers": {}}' as space
        ${all} order by s.slug desc limit ${limit} offset ${offset}) found), '[]') as spaces`,
  })
  return row
}
