import { sql } from "kysely"
import type { Context } from "../context.ts"
import { inScope, queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type CancelledTurn, callCancelled, cancelManyCtes, touchedTurns } from "../turns/cancel-many.ts"
import { spaceNotFound } from "./get-space.ts"
import type { SpaceRow } from "./serialize-space.ts"

/** Why a turn of an archived space was cancelled, as its status_reason. */
export const SPACE_ARCHIVED = "space_archived"

/**
 * Archives a space: it takes no turns, files or changes any more, and can still be read. Its queued turns are cancelled, its
 * running ones asked to stop; the sweeper goes on where they are more than one statement takes. Again: the same. NOT_FOUND.
 */
export async function archiveSpace(ctx: Context, credential: Credential, spaceId: string): Promise<SpaceRow> {
  const now = ctx.clock.now()
  const ofTarget = sql`t.user_id = (select user_id from target) and t.test = (select test from target)
    and t.space_id = (select space_id from target)`
  const { row } = await queryAs<{ space: SpaceRow | null; touched: CancelledTurn[] }>(ctx, credential, {
    ctes: sql`target as materialized (
        select s.* from spaces s, caller where s.slug = ${spaceId} and ${inScope}
      ), archived as (
        update spaces s set archived_at = coalesce(s.archived_at, ${now}::timestamptz),
          ending_turns = s.ending_turns or s.archived_at is null,
          updated_at = case when s.archived_at is null then ${now}::timestamptz else s.updated_at end
        from target where s.space_id = target.space_id
        returning s.*
      ), ${cancelManyCtes(ctx, ofTarget, SPACE_ARCHIVED)}`,
    select: sql`select (select to_jsonb(archived) from archived) as space, ${touchedTurns} as touched`,
  })
  if (!row.space) throw spaceNotFound(spaceId)
  ctx.background(callCancelled(ctx, row.touched))
  return row.space
}
