import type { Context } from "../actor/context.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { call } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { serializeUser, type User } from "../users/user-row.ts"
import { SESSION_POLICY } from "./policies.ts"

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
  const [row] = await call<"start_session", StartedRow>(ctx.db, "start_session", {
    session_id: newId("session", now),
    user_id: userId,
    granted_epoch: grantedBy?.epoch ?? null,
    granted_session: grantedBy?.sessionId ?? null,
    granted_issuer: grantedBy?.identity?.issuer ?? null,
    granted_subject: grantedBy?.identity?.subject ?? null,
    except_admins: exceptAdmins,
    user_agent: userAgent?.slice(0, 512) ?? null,
    address: ctx.address,
    expires_at: expiryOf(now),
    moment: now,
  })
  if (!row) throw new TurnpikeError(refusal, "This account cannot sign in, or can no longer sign in in this way.")
  return { sessionId: row.session_id, user: serializeUser({ ...row, created_at: row.created_at.toISOString() }) }
}

type StartedRow = Procedures["start_session"]["row"] &
  Omit<User, "created_at"> & { session_id: string; created_at: Date }

/** Until when a session goes on that is used now. */
export const expiryOf = (now: Date) => new Date(now.getTime() + SESSION_POLICY.lifeMs)
