import * as z from "zod"
import { parseAuthEnv } from "../../base/env.ts"
import type { App } from "../../http/app.ts"
import { closeSession, openSession, sessionState } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listSignInWays, signInWaysSchema } from "../../sign-in/list-ways.ts"
import { LOG_IN_ERRORS, logIn, loginRequestSchema } from "../../sign-in/log-in.ts"
import { getCurrentUser } from "../../users/get-me.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

export function mountLogin(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/login",
      id: "login",
      tag: "auth",
      summary: "Sign in with email and password",
      description:
        "Sets the cookie `token` and returns the user. An unknown email, a wrong password and a disabled " +
        "account get the same response after the same time. After several wrong passwords, further attempts are " +
        "rejected for some time. An account with a second factor gets `SECOND_FACTOR_REQUIRED` and the cookie. Its session has no " +
        "access until its code is sent to `POST /api/auth/second-factor`. This applies to every way to sign in. The previous session of " +
        "this browser ends.",
      open: true,
      body: loginRequestSchema,
      answer: { status: 200, description: "The user; the session is in the cookie.", schema: userSchema },
      errors: [...LOG_IN_ERRORS, "SECOND_FACTOR_REQUIRED"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      const { userId, epoch } = await logIn(ctx, body)
      return openSession(c, ctx, userId, { grantedBy: { epoch }, refusal: "INVALID_CREDENTIALS" })
    },
  )
}

const tag = "auth"

export function mountSession(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/logout",
      id: "logout",
      tag,
      summary: "Sign out",
      description:
        "Ends the session. Every later request with its cookie is rejected. Without a session the response is " +
        "the same.",
      open: true,
      answer: {
        status: 200,
        description: "The session has ended, and the cookie is removed.",
        schema: z.object({ ok: z.literal(true) }),
      },
      errors: ["SIGNED_IN_AS_OTHER"],
    },
    async (c) => {
      await closeSession(c)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/auth/ways",
      id: "listSignInWays",
      tag,
      summary: "List the ways to sign in that this host offers",
      description:
        "A sign-in page shows only these. A password and a sign-in link from an operator always work. `session` says " +
        "whether the browser has a session, without an error if it has none.",
      open: true,
      answer: { status: 200, description: "The ways to sign in.", schema: signInWaysSchema },
      errors: [],
    },
    async (c) =>
      listSignInWays(authContext(c), { env: parseAuthEnv(c.env), url: c.req.url, session: await sessionState(c) }),
  )

  app.operation(
    {
      method: "get",
      path: "/api/auth/me",
      id: "getCurrentUser",
      tag,
      summary: "Read the signed-in user",
      answer: { status: 200, description: "The user.", schema: userSchema },
      errors: [],
    },
    async (c) => getCurrentUser(c.get("ctx"), sessionOf(c)),
  )
}
