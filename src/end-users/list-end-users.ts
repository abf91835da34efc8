import type { Credential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { decodePosition, encodePosition, type Page } from "../base/pagination.ts"
import type { EndUserRow } from "./get-end-user.ts"

export interface EndUserFilters {
  /** A part of the reference. Case does not matter. */
  q?: string | undefined
  blocked?: boolean | undefined
}

/**
 * The end users that a caller can see, most recent turn first. Callers that can access the whole account also get
 * end users with limits or a profile but without turns.
 */
export async function listEndUsers(
  ctx: Context,
  credential: Credential,
  { filters, limit, cursor }: { filters: EndUserFilters; limit: number; cursor?: string | undefined },
): Promise<Page<EndUserRow>> {
  const [at, ref] = decodePosition(cursor, { end_users: filters }) ?? []
  const { row } = await callAs(ctx, credential, "list_end_users", {
    blocked: filters.blocked ?? null,
    q: filters.q ?? null,
    before_at: at === undefined ? null : new Date(at),
    before_ref: ref ?? null,
    limit: limit + 1,
  })
  const endUsers = row.end_users ?? []
  const page = endUsers.slice(0, limit)
  const last = page.at(-1)
  const goesOn = endUsers.length > limit && last !== undefined
  const position = last && [last.active_at, last.end_user.end_user_ref]
  const next_cursor = goesOn && position ? encodePosition(position, { end_users: filters }) : null
  return { data: page.map(({ end_user }) => end_user), has_more: goesOn, next_cursor }
}
