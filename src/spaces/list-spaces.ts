import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { createdBetween } from "../created-between.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { SPACE_POLICY } from "./policies.ts"
import type { SpaceRow } from "./serialize-space.ts"

export interface SpaceFilters {
  archived: "true" | "false" | "all"
  q?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The spaces in the key's scope, newest first. `created_after` is inclusive, `created_before` exclusive. */
export async function listSpaces(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: SpaceFilters; limit: number; cursor?: string | undefined },
): Promise<Page<SpaceRow>> {
  const after = decodeCursor(cursor, { spaces: filters })
  const where: RawBuilder<unknown>[] = [
    inScope,
    sql`s.user_id = (select user_id from caller)`,
    sql`s.test = (select test from caller)`,
  ]
  if (after) where.push(sql`s.slug collate "C" < ${after}`)
  if (filters.archived !== "all") where.push(sql`(s.archived_at is not null) = ${filters.archived === "true"}::boolean`)
  if (filters.q !== undefined) where.push(sql`position(lower(${filters.q}::text) in lower(s.title)) > 0`)
  where.push(...createdBetween("space", ["s", "slug"], filters))
  // Of tools and servers a list shows the names only: their definitions may be larger than all the rest.
  const namesOf = (column: string) =>
    sql`(select coalesce(jsonb_object_agg(name, true), '{}') from jsonb_object_keys(${sql.ref(`s.${column}`)}) name)`
  const { row } = await queryAs<{ spaces: SpaceRow[]; found: number }>(ctx, credential, {
    select: sql`select count(*)::integer as found, coalesce(jsonb_agg(page.space order by page.place)
        filter (where page.place <= ${limit}::integer and page.bytes_before < ${SPACE_POLICY.answerBytes}::integer), '[]') as spaces
      from (
        select found.*, row_number() over newest_first as place, coalesce(sum(octet_length(to_json(found.space::text)::text))
          over (newest_first rows between unbounded preceding and 1 preceding), 0) as bytes_before
        from (
          select s.slug, (to_jsonb(s) - 'tools' - 'mcp_servers')
            || jsonb_build_object('tools', ${namesOf("tools")}, 'mcp_servers', ${namesOf("mcp_servers")}) as space
          from spaces s, caller
          where ${sql.join(where, sql` and `)}
          order by s.slug collate "C" desc limit ${limit + 1}
        ) found
        window newest_first as (order by found.slug collate "C" desc)
      ) page`,
  })
  const more = row.found > row.spaces.length
  return toPage(row.spaces, { more, filters: { spaces: filters }, idOf: (space) => space.slug })
}
