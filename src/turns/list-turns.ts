import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { createdBetween } from "../created-between.ts"
import { inScope, queryAs, spaceInScope } from "../identity/actor.ts"
import type { Credential, SessionCredential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { TURN_POLICY } from "./policies.ts"
import { readTurnEvents } from "./read-turn-events.ts"
import type { TurnState } from "./schemas.ts"
import type { TurnEventRow } from "./turn-event.ts"
import { type TurnRow, turnJson } from "./turn-row.ts"

export interface TurnFilters {
  space?: string | undefined
  end_user_ref?: string | undefined
  conversation?: string | undefined
  state?: TurnState | undefined
  key?: string | undefined
  /** Only the web-chat turns of the account's owner: those without a key. */
  chat?: true
  created_after?: string | undefined
  created_before?: string | undefined
}

/** The turns in the caller's scope, newest first. `created_after` is inclusive, `created_before` exclusive. */
export async function listTurns(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: TurnFilters; limit: number; cursor?: string | undefined },
): Promise<Page<TurnRow>> {
  const after = decodeCursor(cursor, filters)
  const where = [spaceInScope("t.space_id"), ...conditions(filters)]
  if (after) where.push(sql`t.turn_id collate "C" < ${after}`)
  const { row } = await queryAs<FoundTurns>(ctx, credential, { select: turnPage(where, { limit, offset: 0 }) })
  return toPage(row.turns, { more: row.found > row.turns.length, filters, idOf: (turn) => turn.turn_id })
}

/**
 * All turns of a signed-in owner, by place instead of by cursor, with how many there are. A page of large texts ends before
 * its limit. No scope is narrower than the owner's, so that the count reads one index and no space.
 */
export async function findTurns(
  ctx: Context,
  credential: SessionCredential,
  { filters, limit, offset }: { filters: TurnFilters; limit: number; offset: number },
): Promise<{ turns: TurnRow[]; total: number }> {
  const where = conditions(filters)
  const { row } = await queryAs<FoundTurns & { total: number }>(ctx, credential, {
    select: sql`select found.*, (select count(*)::integer from turns t where ${sql.join(where, sql` and `)}) as total from (${turnPage(where, { limit, offset })}) found`,
  })
  return row
}

interface FoundTurns {
  turns: TurnRow[]
  /** One more than the limit when there are more. */
  found: number
}

function conditions(filters: TurnFilters): RawBuilder<unknown>[] {
  // Scalar subqueries, so that the planner knows them as constants and starts from the owner's index.
  const where: RawBuilder<unknown>[] = [
    sql`t.user_id = (select user_id from caller)`,
    sql`t.test = (select test from caller)`,
  ]
  if (filters.space) {
    where.push(
      sql`t.space_id = (select s.space_id from spaces s, caller where s.slug = ${filters.space} and ${inScope})`,
    )
  }
  if (filters.end_user_ref) where.push(sql`t.end_user_ref = ${filters.end_user_ref}`)
  if (filters.conversation) where.push(sql`t.conversation_id = ${filters.conversation}`)
  // Spelled out, so that the planner sees that the narrow index of a rare state has all there is.
  if (filters.state) where.push(sql`t.state = ${sql.lit(filters.state)}`)
  if (filters.key) where.push(sql`t.key_id = ${filters.key}`)
  if (filters.chat) where.push(sql`t.key_id is null`)
  where.push(...createdBetween("turn", [sql.ref("t.turn_id"), sql.ref("t.created_at")], filters))
  return where
}

/** The page of such turns, which ends early at `answerBytes`. */
function turnPage(
  where: RawBuilder<unknown>[],
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<unknown> {
  return sql`select count(*)::integer as found, coalesce(jsonb_agg(page.turn order by page.place)
      filter (where page.place <= ${limit}::integer and page.bytes_before < ${TURN_POLICY.answerBytes}::integer), '[]') as turns
    from (
      select found.*, row_number() over newest_first as place,
        coalesce(sum(bytes) over (newest_first rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from (
        select ${turnJson} as turn, t.turn_id, octet_length(to_json(t.text)::text)
            + coalesce(octet_length(to_json(t.result)::text), 0) as bytes
        from (
          select t.* from turns t where ${sql.join(where, sql` and `)}
          order by t.turn_id collate "C" desc limit ${limit + 1} offset ${offset}
        ) t join spaces s on s.space_id = t.space_id
      ) found
      window newest_first as (order by found.turn_id collate "C" desc)
    ) page`
}

/** A turn's events after `afterSeq`, oldest first, at most `limit`; NOT_FOUND for a turn out of scope. */
export async function listTurnEvents(
  ctx: Context,
  credential: Credential,
  { turnId, afterSeq, limit }: { turnId: string; afterSeq: number; limit: number },
): Promise<{ events: TurnEventRow[]; hasMore: boolean; total: number }> {
  const { last_seq, events } = await readTurnEvents(ctx, credential, {
    turn_id: turnId,
    after_seq: afterSeq,
    limit: limit + 1,
    reader_until: null,
    reader_soon: null,
  })
  return { events: events.slice(0, limit), hasMore: events.length > limit, total: last_seq }
}
