import { callOne } from "../platform/db.ts"
import type { AuthContext } from "./auth-context.ts"
import { denyWebLogin } from "./web-login.ts"

/**
 * Takes a login back that was not the person's own: ends every session of their account, since who had one of them may have
 * made others, and denies the login to a browser that has not asked yet.
 */
export async function undoLogin(ctx: AuthContext, brand: string, subject: string, token: string): Promise<void> {
  const identity = { issuer: `messenger:${brand}`, subject }
  const { end_sessions_of_identity: userId } = await callOne(ctx.db, "end_sessions_of_identity", identity)
  if (userId !== null) await denyWebLogin(ctx, token, userId)
}
