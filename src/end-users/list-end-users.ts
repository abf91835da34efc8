import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs, spaceInScope } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodePosition, encodePosition, type Page } from "../pagination.ts"
import { type EndUserRow, endUserJson, ownedBy } from "./end-user-row.ts"

export interface EndUserFilters {
  blocked?: "true" | "false" | undefined
}

type Listed = EndUserRow & { active_at: string }

/**
 * The end users that a key can see, by their newest turn. Each is found once, at the newest of its conversations, so that a
 * page costs as many steps as it has rows, however many there are. Those that have limits and no turn yet stand where the
 * limits were set, for keys that see the whole account.
 */
export async function listEndUsers(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: EndUserFilters; limit: number; cursor?: string | undefined },
): Promise<Page<EndUserRow>> {
  const after = decodePosition(cursor, { end_users: filters })
  const before = (at: string, ref: string) =>
    after ? sql`and (${sql.ref(at)}, ${sql.ref(ref)} collate "C") < (${after[0]}::timestamptz, ${after[1]})` : sql``
  const isBlocked = (ref: string) =>
    sql`exists (select 1 from end_users e where ${ownedBy("e")} and e.end_user_ref = ${sql.ref(ref)} and e.blocked)`
  const filter = (ref: string) =>
    filters.blocked === undefined ? sql`` : sql`and ${isBlocked(ref)} = ${filters.blocked === "true"}::boolean`
  const { row } = await queryAs<{ end_users: Listed[] }>(ctx, credential, {
    ctes: sql`active as materialized (
      select c.end_user_ref, c.last_turn_at as active_at
      -- The empty one is the account's owner in the web chat: nobody's customer.
      from conversations c where ${ownedBy("c")} and c.end_user_ref <> '' and c.last_turn_at is not null
        and ${spaceInScope("c.space_id")}
        ${before("c.last_turn_at", "c.end_user_ref")} ${filter("c.end_user_ref")}
        and c.conversation_id = (
          select n.conversation_id from conversations n
          where n.user_id = c.user_id and n.test = c.test and n.end_user_ref = c.end_user_ref
            and n.last_turn_at is not null and ${spaceInScope("n.space_id")}
          order by n.last_turn_at desc, n.conversation_id desc limit 1)
      order by c.last_turn_at desc, c.end_user_ref collate "C" desc limit ${limit + 1}::integer
    ), limited as materialized (
      select e.end_user_ref, e.updated_at as active_at from end_users e, caller
      where caller.scope = 'all' and ${ownedBy("e")} ${before("e.updated_at", "e.end_user_ref")} ${filter("e.end_user_ref")}
        and not exists (select 1 from conversations c where ${ownedBy("c")} and c.end_user_ref = e.end_user_ref
          and c.last_turn_at is not null)
      order by e.updated_at desc, e.end_user_ref collate "C" desc limit ${limit + 1}::integer
    ), page as materialized (
      select * from (select * from active union all select * from limited) found
      order by active_at desc, end_user_ref collate "C" desc limit ${limit + 1}::integer
    )`,
    select: sql`select coalesce(jsonb_agg(${endUserJson(sql`page.end_user_ref`, ctx.clock.now())}
        || jsonb_build_object('active_at', page.active_at)
        order by page.active_at desc, page.end_user_ref collate "C" desc), '[]') as end_users from page`,
  })
  const data = row.end_users.slice(0, limit)
  const last = data.at(-1)
  const goesOn = row.end_users.length > limit && last !== undefined
  const next_cursor = goesOn ? encodePosition([last.active_at, last.end_user_ref], { end_users: filters }) : null
  return { data, has_more: goesOn, next_cursor }
}
