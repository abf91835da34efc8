import { sql } from "kysely"
import type { Context } from "../context.ts"
import { type ErrorCode, TurnpikeError } from "../errors.ts"
import { newId } from "../platform/ids.ts"
import { SESSION_POLICY } from "./policies.ts"
import { serializeUser, type User, type UserRow, userJson } from "./user-row.ts"

/** A proof that was made before: the user's session_epoch then, and the session that it comes from, if any. */
export interface Grant {
  epoch: number
  sessionId?: string | undefined
  /** The identity that it comes from, if that may be unlinked meanwhile. */
  identity?: IdentityKey | undefined
}

/** The primary key of an identity. */
export interface IdentityKey {
  issuer: string
  subject: string
}

export interface NewSession {
  userId: number
  /** The browser, by which the session can later be told. Where it was is the request's address. */
  userAgent?: string | null
  /** What has proved who they are: worth nothing once all sessions of that epoch were ended, or what it comes from. */
  grantedBy?: Grant | undefined
  refusal?: ErrorCode
  /** Never for an admin, whatever they were a moment ago. */
  exceptAdmins?: boolean
}

/**
 * Starts a session of a user who has proved who they are. `refusal` (default SESSION_REQUIRED) for a disabled user, or a proof
 * that is over.
 */
export async function startSession(
  ctx: Context,
  { userId, userAgent, grantedBy, refusal = "SESSION_REQUIRED", exceptAdmins = false }: NewSession,
): Promise<{ sessionId: string; user: User }> {
  const now = ctx.clock.now()
  const until = new Date(now.getTime() + SESSION_POLICY.lifeMs)
  const stillGranted = grantedBy ? sql`u.session_epoch = ${grantedBy.epoch}::integer` : sql`true`
  const fromSession = grantedBy?.sessionId
    ? sql`exists (select 1 from sessions g where g.session_id = ${grantedBy.sessionId} and g.user_id = u.user_id
        and g.ended_at is null and g.epoch = u.session_epoch and g.expires_at > ${now}::timestamptz)`
    : sql`true`
  const fromIdentity = grantedBy?.identity
    ? sql`exists (select 1 from identities i where i.issuer = ${grantedBy.identity.issuer}
        and i.subject = ${grantedBy.identity.subject} and i.user_id = u.user_id)`
    : sql`true`
  const { rows } = await sql<{ session_id: string; user: UserRow }>`with found as materialized (
      select u.* from users u where u.user_id = ${userId}::bigint and u.disabled_at is null
        and not (${exceptAdmins}::boolean and u.role = 'admin') and ${stillGranted} and ${fromSession} and ${fromIdentity}
    ), made as (
      insert into sessions (session_id, user_id, epoch, user_agent, address, created_at, last_seen_at, expires_at)
      select ${newId("session", now)}, found.user_id, found.session_epoch, ${userAgent?.slice(0, 512) ?? null}, ${ctx.address},
        ${now}::timestamptz, ${now}::timestamptz, ${until}::timestamptz
      from found returning session_id
    ) select made.session_id, ${userJson} as user from made, found u`.execute(ctx.db)
  const [row] = rows
  if (!row) throw new TurnpikeError(refusal, "This account cannot sign in, or not any more in this way.")
  return { sessionId: row.session_id, user: serializeUser(row.user) }
}
