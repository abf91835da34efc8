import type { Context } from "../actor/context.ts"
import { type ErrorCode, TurnpikeError } from "../base/errors.ts"
import { call } from "../platform/db.ts"
import type { Procedures } from "../platform/procedures.ts"
import { serializeUser, type User } from "../users/user-row.ts"
import { SESSION_POLICY } from "./policies.ts"
import { newToken } from "./session-token.ts"

/** An earlier proof: the user's session_epoch at that time, and its source, if any. */
export interface Grant {
  epoch: number
  session?: GivingSession | undefined
  /** The identity of the proof, if it can be unlinked in the meantime. */
  identity?: IdentityKey | undefined
}

/** A session that starts another one. It is named by its hash, since no token is stored. */
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
  /** The user agent, which helps users recognise the session in a list. */
  userAgent?: string | null
  /** The earlier proof. It is invalid once the epoch was raised or its source has ended. */
  grantedBy?: Grant | undefined
  refusal?: ErrorCode
  /** The statement itself rejects an admin. */
  exceptAdmins?: boolean
  /** The token of the browser's former session, which ends. */
  replaces?: string | undefined
}

export interface StartedSession {
  token: string
  user: User
  /** The session waits for the code of the user's second factor. */
  factorDue: boolean
  /** The session is at a place that is new to the account. */
  news: boolean
}

/**
 * Starts a session of a user who has proved their identity. Throws `refusal` (default:
 * SESSION_REQUIRED) for a disabled user or an invalid proof.
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
  if (!row)
    throw new TurnpikeError(
      refusal,
      "This account is disabled, or this proof of identity is no longer valid. Sign in again.",
    )
  const user = serializeUser({ ...row, created_at: row.created_at.toISOString() })
  return { token, user, factorDue: row.factor_due === true, news: row.news === true }
}

type StartedRow = Procedures["start_session"]["row"] & Omit<User, "created_at"> & { created_at: Date }

/** The expiry of a session that is used now. */
export const expiryOf = (now: Date) => new Date(now.getTime() + SESSION_POLICY.lifeMs)
