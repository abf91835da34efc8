import type { Context as HonoContext } from "hono"
import type { Context } from "../actor/context.ts"
import { type NewSession, startSession } from "../sign-in/start-session.ts"
import type { User } from "../users/user-row.ts"
import type { AppEnv } from "./app-env.ts"
import { setSessionCookie } from "./session-auth.ts"

/**
 * What every login path ends with: a session of the user, its cookie on the answer, and the user. For one who was
 * disabled meanwhile, `proof.refusal`, else SESSION_REQUIRED.
 */
export async function openSession(
  c: HonoContext<AppEnv>,
  ctx: Context,
  userId: number,
  proof: Pick<NewSession, "grantedBy" | "refusal" | "exceptAdmins"> = {},
): Promise<User> {
  const userAgent = c.req.header("user-agent") ?? null
  const { sessionId, user } = await startSession(ctx, { userId, userAgent, ...proof })
  await setSessionCookie(c, sessionId)
  return user
}
