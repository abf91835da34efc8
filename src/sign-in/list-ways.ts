import * as z from "zod"
import type { AuthEnv } from "../base/env.ts"
import type { AuthContext } from "./auth-context.ts"
import { brandOf } from "./brand-of.ts"

const SESSION_STATES = ["none", "ended", "second_factor", "open"] as const
export type SessionState = (typeof SESSION_STATES)[number]

export const signInWaysSchema = z
  .object({
    session: z.enum(SESSION_STATES).meta({
      description:
        "The session of the browser's cookie. `none`: there is no cookie. `ended`: the session has expired or was ended. " +
        "`second_factor`: it waits for a code. `open`: the user is signed in.",
      example: "none",
    }),
    identity_provider: z
      .boolean()
      .meta({ description: "True if `GET /api/auth/oauth-login/start` leads to an identity provider.", example: true }),
    messaging_app: z
      .boolean()
      .meta({ description: "True if the brand of this host has a bot that confirms a sign-in.", example: true }),
    password_reset: z
      .boolean()
      .meta({ description: "True if the service sends emails, and so links to reset a password.", example: true }),
  })
  .meta({ id: "SignInWays" })

/** Which ways to sign in are configured on the host of `url`. A password and a link from an operator always work. */
export async function listSignInWays(
  ctx: AuthContext,
  { env, url, session }: { env: AuthEnv; url: string; session: SessionState },
): Promise<z.infer<typeof signInWaysSchema>> {
  const { bot_username, bot_token } = await brandOf(ctx, url)
  return {
    session,
    identity_provider: Boolean(env.OIDC_ISSUER && env.OIDC_CLIENT_ID),
    messaging_app: Boolean(bot_username && bot_token),
    password_reset: ctx.emailHook !== null,
  }
}
