import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import { newToken } from "./session-token.ts"
import { expiryOf } from "./start-session.ts"

/** Ends a session: the next request with its cookie is refused. One that had ended stays as it was. */
export async function endSession(ctx: Context, { token }: SessionCredential): Promise<void> {
  await callOne(ctx.db, "end_session", { token, moment: ctx.clock.now() })
}

/** Ends one of the caller's sessions, which may be the session of the request. NOT_FOUND when they have no such valid session. */
export async function endOneSession(ctx: Context, credential: SessionCredential, sessionId: string): Promise<void> {
  const { row } = await callAs(ctx, credential, "end_own_session", { session_id: sessionId })
  if (!row.ended) throw new TurnpikeError("NOT_FOUND", `There is no session "${sessionId}" of yours.`)
}

/**
 * Ends all sessions of the caller, including those being started at this moment, and all tokens that would start one. `others`: the
 * caller goes on in a new session, whose token is returned; otherwise null. SESSION_REQUIRED also when the caller's session was ended in
 * this way at the same moment.
 */
export async function endSessions(
  ctx: Context,
  credential: SessionCredential,
  which: "others" | "all",
): Promise<string | null> {
  const now = ctx.clock.now()
  const new_token = which === "others" ? newToken("session", now) : null
  const { row } = await callAs(ctx, credential, "end_sessions", { new_token, expires_at: expiryOf(now) })
  if (!row.ended) throw new TurnpikeError("SESSION_REQUIRED", "The session has ended. Sign in again.")
  return new_token
}
