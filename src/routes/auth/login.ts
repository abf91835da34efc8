import type { App } from "../../http/app.ts"
import { openSession } from "../../http/open-session.ts"
import { logIn, loginRequestSchema } from "../../sign-in/log-in.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

export function mountLogin(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/login",
      id: "login",
      tag: "Signing in",
      summary: "Sign in with email and password",
      description:
        "Sets the cookie `token` and answers the user. Whether the email is unknown, the password wrong or the account disabled " +
        "is not said, nor can it be told from the time. After some wrong passwords the next ones have to wait.",
      open: true,
      body: loginRequestSchema,
      answer: { status: 200, description: "The user; the session is in the cookie.", schema: userSchema },
      errors: ["INVALID_CREDENTIALS", "LOGIN_THROTTLED"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      const { userId, epoch } = await logIn(ctx, body)
      return openSession(c, ctx, userId, { grantedBy: { epoch }, refusal: "INVALID_CREDENTIALS" })
    },
  )
}
