import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { openSession } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { TOKEN_POLICY } from "../../sign-in/policies.ts"
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
        `Takes the token of a magic link (valid for ${timeInWords(TOKEN_POLICY.sign_in.ttlMs)}) or an app token ` +
        `(valid for ${timeInWords(TOKEN_POLICY.sign_in.appMs)}). ` +
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
        `The webview exchanges it with \`POST /api/auth/magic\` within ${timeInWords(TOKEN_POLICY.sign_in.appMs)} for a session of its own. ` +
        "It works once, and only while the session that asked for it has not ended. Any session may ask: the new one was last proved " +
        "when this one was, so it has no power that this one lacks.",
      answer: { status: 200, description: "The token. It is shown only here.", schema: appTokenSchema },
      errors: [],
    },
    async (c) => mintAppToken(authContext(c), sessionOf(c)),
  )
}
