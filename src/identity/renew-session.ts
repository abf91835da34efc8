import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { newId } from "../platform/ids.ts"
import { SESSION_POLICY } from "./policies.ts"

/**
 * The CTE `bumped`: raises the epoch of the caller's user, which ends all their sessions. `set` may change more of the row. Empty
 * too when the caller's session was ended, or the user disabled, while this waited for the row: else it would go on in a new one.
 */
export function endAllCtes(onlyIf: RawBuilder<unknown>, set: RawBuilder<unknown> = sql``): RawBuilder<unknown> {
  return sql`bumped as (
    update users u set session_epoch = u.session_epoch + 1 ${set}
    from caller join sessions own on own.session_id = caller.session_id
    where u.user_id = caller.user_id and u.session_epoch = own.epoch and u.disabled_at is null and ${onlyIf}
    returning u.*
  )`
}

/**
 * Behind `bumped`, the CTE `renewed`: a new session in place of the caller's, which is of the epoch before. A row of its own,
 * since `actorCte` may write that of the caller's in the same statement.
 */
export function renewedCte(ctx: Context): RawBuilder<unknown> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SESSION_POLICY.lifeMs)
  return sql`renewed as (
    insert into sessions (session_id, user_id, epoch, user_agent, address, created_at, last_seen_at, expires_at)
    select ${newId("session", now)}, bumped.user_id, bumped.session_epoch, n.user_agent, n.address, n.created_at,
      ${now}::timestamptz, ${until}::timestamptz
    from bumped, caller join sessions n on n.session_id = caller.session_id
    returning session_id
  )`
}
