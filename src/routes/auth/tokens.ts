import type { App } from "../../http/app.ts"
import { openSession, sessionOf } from "../../http/session-auth.ts"
import { appTokenSchema, magicExchangeSchema, mintAppToken, redeemSignInToken } from "../../sign-in/sign-in-token.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "Signing in"

export function mountTokens(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/magic",
      id: "exchangeToken",
      tag,
      summary: "Exchange a one-time token for a session",
      description:
        "A magic link's token, at most 10 minutes old, or an app token of at most 60 seconds. Each works once: of all who " +
        "exchange it at the same moment, one gets the session.",
      open: true,
      body: magicExchangeSchema,
      answer: { status: 200, description: "The user; the session is in the cookie.", schema: userSchema },
      errors: ["INVALID_TOKEN"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      return redeemSignInToken(ctx, body.token, ({ user_id, epoch, session_id: sessionId, identity }) =>
        openSession(c, ctx, user_id, { grantedBy: { epoch, sessionId, identity }, refusal: "INVALID_TOKEN" }),
      )
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/app-token",
      id: "createAppToken",
      tag,
      summary: "Create a token for an app's webview",
      description:
        "Exchanged with `POST /api/auth/magic` within 60 seconds, once, it gives the webview a session of its own. It is " +
        "worth nothing when the session that asked for it ends before.",
      answer: { status: 200, description: "The token; it is shown this once.", schema: appTokenSchema },
      errors: [],
    },
    async (c) => mintAppToken(authContext(c), sessionOf(c)),
  )
}
