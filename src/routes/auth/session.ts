import * as z from "zod"
import type { App } from "../../http/app.ts"
import { closeSession, openSession, sessionOf } from "../../http/session-auth.ts"
import { logIn, loginRequestSchema } from "../../sign-in/log-in.ts"
import { getUser } from "../../users/get-me.ts"
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

const tag = "Signing in"

export function mountSession(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/logout",
      id: "logout",
      tag,
      summary: "Sign out",
      description:
        "Ends the session: the next request with its cookie is refused, wherever it goes. Without a session the answer is the same.",
      open: true,
      answer: {
        status: 200,
        description: "There is no session any more; the cookie is taken back.",
        schema: z.object({ ok: z.literal(true) }),
      },
      errors: [],
    },
    async (c) => {
      await closeSession(c)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/auth/me",
      id: "getCurrentUser",
      tag,
      summary: "Read who is signed in",
      answer: { status: 200, description: "The user.", schema: userSchema },
      errors: [],
    },
    async (c) => getUser(c.get("ctx"), sessionOf(c)),
  )
}
