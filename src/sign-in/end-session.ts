import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { callOne } from "../platform/db.ts"
import { newToken } from "./session-token.ts"
import { expiryOf } from "./start-session.ts"

/**
 * Ends a session, so that the next request with its cookie is rejected. A session that had already ended is unchanged.
 */
export async function endSession(ctx: Context, { token }: SessionCredential): Promise<void> {
  await callOne(ctx.db, "end_session", { token, moment: ctx.clock.now() })
}

/** Ends one of the caller's valid sessions, possibly the one of this request. Throws NOT_FOUND. */
export async function endOneSession(ctx: Context, credential: SessionCredential, sessionId: string): Promise<void> {
  const { row } = await callAs(ctx, credential, "end_own_session", { session_id: sessionId })
  if (!row.ended) throw new TurnpikeError("NOT_FOUND", `You have no session "${sessionId}".`)
}

/**
 * Ends all sessions and sign-in tokens of the caller. For `others`, returns the token of the caller's new
 * session; otherwise null. Throws SESSION_REQUIRED if a concurrent request has ended the caller's session.
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
