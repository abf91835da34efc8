import type { Context } from "../actor/context.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { call } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { serializeUser, type User } from "../users/user-row.ts"
import { SESSION_POLICY } from "./policies.ts"
import { newToken } from "./session-token.ts"

/** An earlier proof: the user's session_epoch then, and the session that it comes from, if any. */
export interface Grant {
  epoch: number
  session?: GivingSession | undefined
  /** The identity that it comes from, if it can be unlinked in the meantime. */
  identity?: IdentityKey | undefined
}

/** A session that gives another one. It is named without its token, which is nowhere stored. */
export interface GivingSession {
  id: string
  /** SHA-256 of its token, in hex. */
  hash: string
}

/** The primary key of an identity. */
export interface IdentityKey {
  issuer: string
  subject: string
}

export interface NewSession {
  userId: number
  /** The browser, which helps to recognise the session in a list. */
  userAgent?: string | null
  /** The earlier proof. It is not valid after all sessions of its epoch were ended, or after its source has ended. */
  grantedBy?: Grant | undefined
  refusal?: ErrorCode
  /** Never for an admin, as decided by the statement itself. */
  exceptAdmins?: boolean
  /** The token of the session that the browser had, which ends. */
  replaces?: string | undefined
}

export interface StartedSession {
  token: string
  user: User
  /** It waits for the code of the user's second factor. */
  factorDue: boolean
  /** It is in a place that is new to the account. */
  news: boolean
}

/**
 * Starts a session of a user who has proved who they are. `refusal` (default SESSION_REQUIRED) for a disabled user, or a proof that is
 * no longer valid.
 */
export async function startSession(
  ctx: Context,
  { userId, userAgent, grantedBy, refusal = "SESSION_REQUIRED", exceptAdmins = false, replaces }: NewSession,
): Promise<StartedSession> {
  const now = ctx.clock.now()
  const token = newToken("session", now)
  const [row] = await call<"start_session", StartedRow>(ctx.db, "start_session", {
    token,
    user_id: userId,
    granted_epoch: grantedBy?.epoch ?? null,
    granted_session: grantedBy?.session?.id ?? null,
    granted_hash: grantedBy?.session?.hash ?? null,
    granted_issuer: grantedBy?.identity?.issuer ?? null,
    granted_subject: grantedBy?.identity?.subject ?? null,
    except_admins: exceptAdmins,
    replaces: replaces ?? null,
    user_agent: userAgent?.slice(0, 512) ?? null,
    address: ctx.address,
    expires_at: expiryOf(now),
    factor_until: new Date(now.getTime() + SESSION_POLICY.factorMs),
    request_id: ctx.requestId,
    moment: now,
  })
  if (!row) throw new TurnpikeError(refusal, "This account cannot sign in, or can no longer sign in in this way.")
  const user = serializeUser({ ...row, created_at: row.created_at.toISOString() })
  return { token, user, factorDue: row.factor_due === true, news: row.news === true }
}

type StartedRow = Procedures["start_session"]["row"] & Omit<User, "created_at"> & { created_at: Date }

/** When a session that is used now expires. */
export const expiryOf = (now: Date) => new Date(now.getTime() + SESSION_POLICY.lifeMs)
