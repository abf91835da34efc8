import * as z from "zod"
import type { App } from "../../http/app.ts"
import { idParam, listOf, listQuery } from "../../http/query.ts"
import { dropSessionCookie, setSessionCookie } from "../../http/session-auth.ts"
import { sessionOf } from "../../http/session-of.ts"
import { endOneSession, endSessions } from "../../sign-in/end-session.ts"
import { listSessions, sessionSchema } from "../../sign-in/list-sessions.ts"
import { CHANGE_PASSWORD_ERRORS, changePassword, changePasswordSchema } from "../../sign-in/password.ts"
import { sessionIdOf } from "../../sign-in/session-token.ts"
import { authContext } from "../auth/context.ts"

const tag = "Sessions"
const done = z.object({ ok: z.literal(true) })

export function mountSessions(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/sessions",
      id: "listSessions",
      tag,
      summary: "List sessions",
      description: "Your open sessions, the most recently used first. `current` marks the session of this request.",
      query: z.strictObject(listQuery),
      answer: { status: 200, description: "A page of sessions.", schema: listOf(sessionSchema) },
      errors: [],
    },
    async (c, { query: { limit, offset } }) => {
      const { sessions, total } = await listSessions(c.get("ctx"), sessionOf(c), { limit, offset })
      return { items: sessions, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/sessions/{session_id}",
      id: "endSession",
      tag,
      summary: "End a session",
      description: "Its next request is rejected. Ending the session of this request signs you out.",
      params: z.object({ session_id: idParam }),
      answer: { status: 200, description: "The session has ended.", schema: done },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { session_id } }) => {
      const session = sessionOf(c)
      await endOneSession(c.get("ctx"), session, session_id)
      if (session_id === sessionIdOf(session.token)) await dropSessionCookie(c)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/sessions",
      id: "endSessions",
      tag,
      summary: "End all sessions, or all others",
      description:
        "The sessions are rejected from their next request on, and all tokens that could open a session become invalid. " +
        "With `others`, the session of this request continues with a new cookie.",
      query: z.strictObject({
        which: z
          .enum(["others", "all"])
          .default("others")
          .meta({ description: "`others`: all sessions except that of this request. `all`: that session too." }),
      }),
      answer: { status: 200, description: "The sessions have ended.", schema: done },
      errors: [],
    },
    async (c, { query: { which } }) => {
      const token = await endSessions(c.get("ctx"), sessionOf(c), which)
      if (token) await setSessionCookie(c, token)
      else await dropSessionCookie(c)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/password",
      id: "changePassword",
      tag,
      summary: "Change the password, or set the first one",
      description:
        "All other sessions end, and all tokens that could open a session become invalid. The session of this request " +
        "continues with a new cookie. API keys do not change. A wrong current password counts like a " +
        "wrong password at login.",
      body: changePasswordSchema,
      answer: { status: 200, description: "The new password is set.", schema: done },
      errors: CHANGE_PASSWORD_ERRORS,
    },
    async (c, { body }) => {
      await setSessionCookie(c, await changePassword(authContext(c), sessionOf(c), body))
      return { ok: true as const }
    },
  )
}
