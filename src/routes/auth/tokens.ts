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
        "Each works once: of several simultaneous requests, only one gets the session.",
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
        `The webview exchanges the token with \`POST /api/auth/magic\` within ${timeInWords(TOKEN_POLICY.sign_in.appMs)} for a session of its own. ` +
        "The token works once, and only until the session that created it ends. Any session can create one. The new session keeps the time at which " +
        "this session's user last proved their identity, so it can do nothing that this session cannot.",
      answer: { status: 200, description: "The token. Only this response shows it.", schema: appTokenSchema },
      errors: ["LOGIN_THROTTLED"],
    },
    async (c) => mintAppToken(authContext(c), sessionOf(c)),
  )
}
