import type { App } from "../../http/app.ts"
import { openSession } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { appTokenSchema, magicExchangeSchema, mintAppToken, redeemSignInToken } from "../../sign-in/sign-in-token.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "auth"

export function mountTokens(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/magic",
      id: "exchangeToken",
      tag,
      summary: "Exchange a one-time token for a session",
      description:
        "Takes the token of a magic link (valid for 10 minutes) or an app token (valid for 60 seconds). " +
        "Each works once: of several requests at the same moment, one gets the session.",
      open: true,
      body: magicExchangeSchema,
      answer: { status: 200, description: "The user; the session is in the cookie.", schema: userSchema },
      errors: ["INVALID_TOKEN", "SECOND_FACTOR_REQUIRED"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      return redeemSignInToken(ctx, body.token, ({ user_id, epoch, session, identity }) =>
        openSession(c, ctx, user_id, { grantedBy: { epoch, session, identity }, refusal: "INVALID_TOKEN" }),
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
        "The webview exchanges it with `POST /api/auth/magic` within 60 seconds for a session of its own. " +
        "It works once, and only while the session that asked for it has not ended. Any session may ask: the new one was last proved " +
        "when this one was, so it has no power that this one lacks.",
      answer: { status: 200, description: "The token. It is shown only here.", schema: appTokenSchema },
      errors: [],
    },
    async (c) => mintAppToken(authContext(c), sessionOf(c)),
  )
}
