import * as z from "zod"
import type { App } from "../../http/app.ts"
import { listOf, numberParam, wholeList } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { ACCEPT_INVITATION_ERRORS, acceptInvitation } from "../../members/accept-invitation.ts"
import { LEAVE_ACCOUNT_ERRORS, leaveAccount } from "../../members/leave-account.ts"
import { listMemberships, membershipSchema } from "../../members/list-memberships.ts"
import { invitationTokenSchema } from "../../members/schemas.ts"

const tag = "Members"

/** The accounts for which the signed-in user may act. */
export function mountMemberships(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/memberships",
      id: "listMemberships",
      tag,
      summary: "List your accounts",
      description: "The accounts for which you may act, your own one first.",
      answer: { status: 200, description: "All accounts.", schema: listOf(membershipSchema) },
      errors: [],
    },
    async (c) => wholeList(await listMemberships(c.get("ctx"), sessionOf(c))),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/memberships",
      id: "acceptInvitation",
      tag,
      summary: "Accept an invitation",
      description:
        "The invitation must be for your email, and your email must be verified unless the link came by email.",
      body: invitationTokenSchema,
      answer: {
        status: 201,
        description: "The account for which you may act now.",
        schema: z.object({ user_id: z.int().meta({ example: 57 }) }),
      },
      errors: ACCEPT_INVITATION_ERRORS,
    },
    async (c, { body: { token } }) => acceptInvitation(c.get("ctx"), sessionOf(c), token),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/memberships/{user_id}",
      id: "leaveAccount",
      tag,
      summary: "Leave an account",
      description:
        "Your next request for the account is rejected. Its owners decide about the keys whose values you know.",
      params: z.object({ user_id: numberParam }),
      answer: { status: 200, description: "You have left.", schema: z.object({ ok: z.literal(true) }) },
      errors: LEAVE_ACCOUNT_ERRORS,
    },
    async (c, { params: { user_id } }) => {
      await leaveAccount(c.get("ctx"), sessionOf(c), user_id)
      return { ok: true as const }
    },
  )
}
