import type { App } from "../../http/app.ts"
import { openSession } from "../../http/session-auth.ts"
import { joinAsNew, joinAsNewSchema } from "../../members/join-as-new.ts"
import { openedInvitationSchema, readInvitation } from "../../members/read-invitation.ts"
import { invitationTokenSchema } from "../../members/schemas.ts"
import { userSchema } from "../../users/user-row.ts"
import { authContext } from "./context.ts"

const tag = "auth"

/** Invitations for people who are not signed in. */
export function mountInvitations(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/auth/invitations",
      id: "readInvitation",
      tag,
      summary: "Read an invitation",
      description: "Shows who invites to which account. It does not use up the token.",
      open: true,
      body: invitationTokenSchema,
      answer: { status: 200, description: "The invitation.", schema: openedInvitationSchema },
      errors: ["INVALID_TOKEN"],
    },
    async (c, { body: { token } }) => readInvitation(authContext(c), token),
  )

  app.operation(
    {
      method: "post",
      path: "/api/auth/invitations/join",
      id: "joinAsNewUser",
      tag,
      summary: "Accept an invitation as a new user",
      description:
        "Takes the token of an emailed link, once. Makes a user with the email and the password, who is a member of the account, and " +
        "signs them in.",
      open: true,
      body: joinAsNewSchema,
      answer: { status: 200, description: "The new user; the session is in the cookie.", schema: userSchema },
      errors: ["INVALID_TOKEN"],
    },
    async (c, { body }) => {
      const ctx = authContext(c)
      return openSession(c, ctx, await joinAsNew(ctx, body))
    },
  )
}
