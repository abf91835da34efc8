import * as z from "zod"
import type { App } from "../../http/app.ts"
import { closeSession, sessionOf } from "../../http/session-auth.ts"
import { getUser } from "../../users/get-user.ts"
import { userSchema } from "../../users/user-row.ts"

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
