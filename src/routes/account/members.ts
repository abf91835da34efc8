import * as z from "zod"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { idParam, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { KEEP_KEY_ERRORS, keepKey } from "../../keys/keep-key.ts"
import { keySchema, serializeKey } from "../../keys/key-row.ts"
import { CHANGE_MEMBER_ERRORS, changeMember, updateMemberSchema } from "../../members/change-member.ts"
import {
  INVITE_MEMBER_ERRORS,
  inviteMember,
  inviteMemberSchema,
  newInvitationSchema,
} from "../../members/invite-member.ts"
import { listMembers, peopleSchema } from "../../members/list-members.ts"
import { INVITATION_POLICY } from "../../members/policies.ts"
import { memberRequirementsSchema, PUT_MEMBER_RULES_ERRORS, putMemberRules } from "../../members/put-member-rules.ts"
import { REVOKE_INVITATION_ERRORS, revokeInvitation } from "../../members/revoke-invitation.ts"
import { keysDecision } from "../../members/schemas.ts"
import {
  TRANSFER_ACCOUNT_ERRORS,
  transferAccount,
  transferAccountSchema,
  transferredSchema,
} from "../../members/transfer-account.ts"
import { siteOrigin } from "../../sign-in/site-origin.ts"

const tag = "Members"
const done = z.object({ ok: z.literal(true) })
const params = z.object({ user_id: numberParam })
const theMembers = { status: 200, description: "The people of the account.", schema: peopleSchema } as const

/** Operations on the people of an account. */
export function mountMembers(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/members",
      id: "listMembers",
      tag,
      summary: "List the people of the account",
      answer: theMembers,
      errors: [],
    },
    async (c) => listMembers(c.get("ctx"), sessionOf(c)),
  )

  app.operation(
    {
      method: "put",
      path: "/api/account/members/rules",
      id: "putMemberRules",
      tag,
      summary: "Require a second factor of members",
      description: "It applies from the next request of each member on. The account's first owner is not asked.",
      body: memberRequirementsSchema,
      answer: { status: 200, description: "The rules.", schema: memberRequirementsSchema },
      errors: PUT_MEMBER_RULES_ERRORS,
    },
    async (c, { body }) => putMemberRules(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "patch",
      path: "/api/account/members/{user_id}",
      id: "updateMember",
      tag,
      summary: "Change the role of a person",
      description: "It applies from the person's next request on.",
      params,
      body: updateMemberSchema,
      answer: theMembers,
      errors: CHANGE_MEMBER_ERRORS,
    },
    async (c, { params: { user_id }, body }) => {
      await changeMember(c.get("ctx"), sessionOf(c), { userId: user_id, ...body })
      return listMembers(c.get("ctx"), sessionOf(c))
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/members/{user_id}",
      id: "removeMember",
      tag,
      summary: "Remove a person from the account",
      description:
        "The person's next request for the account is rejected, and the person's own invitations end. Webhooks and servers that the person " +
        "added stay: see the activity of the person.",
      params,
      query: z.strictObject({ keys: keysDecision.optional() }),
      answer: { status: 200, description: "The person is removed.", schema: done },
      errors: CHANGE_MEMBER_ERRORS,
    },
    async (c, { params: { user_id }, query: { keys } }) => {
      await changeMember(c.get("ctx"), sessionOf(c), { userId: user_id, role: null, keys })
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/transfer",
      id: "transferAccount",
      tag,
      summary: "Hand the account over",
      description:
        "Makes another person of the account an owner, and gives you another role. The new owner decides about the keys whose " +
        "values you know.",
      body: transferAccountSchema,
      answer: { status: 200, description: "The account has the new owner.", schema: transferredSchema },
      errors: TRANSFER_ACCOUNT_ERRORS,
    },
    async (c, { body }) => transferAccount(c.get("ctx"), sessionOf(c), body),
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/invitations",
      id: "inviteMember",
      tag,
      summary: "Invite a person",
      description:
        `The invitation can be accepted once, within ${timeInWords(INVITATION_POLICY.lifeMs)}, by a user with this email. An open invitation to the same ` +
        "email ends. Only this response contains the link.",
      body: inviteMemberSchema,
      answer: { status: 201, description: "The invitation and its link.", schema: newInvitationSchema },
      errors: INVITE_MEMBER_ERRORS,
    },
    async (c, { body }) => {
      const ctx = c.get("ctx")
      return inviteMember(ctx, sessionOf(c), { ...body, origin: await siteOrigin(ctx, c.req.url) })
    },
  )

  app.operation(
    {
      method: "delete",
      path: "/api/account/invitations/{invitation_id}",
      id: "revokeInvitation",
      tag,
      summary: "Revoke an invitation",
      description: "Its links open nothing from now on. A second request returns the same response.",
      params: z.object({ invitation_id: idParam }),
      answer: { status: 200, description: "The invitation has ended.", schema: done },
      errors: REVOKE_INVITATION_ERRORS,
    },
    async (c, { params: { invitation_id } }) => {
      await revokeInvitation(c.get("ctx"), sessionOf(c), invitation_id)
      return { ok: true as const }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/account/keys/{key_id}/keep",
      id: "keepKey",
      tag,
      summary: "Keep the key of a person who left",
      description:
        "Its values stay, and you answer for them from now on. Values of people who still have the key's rights stay theirs.",
      params: z.object({ key_id: idParam }),
      query: z.strictObject({
        user_id: numberParam.optional().meta({
          description:
            "A person of the account who is about to lose rights: you answer for the values that this person knows.",
          example: 43,
        }),
      }),
      answer: { status: 200, description: "The key.", schema: keySchema },
      errors: KEEP_KEY_ERRORS,
    },
    async (c, { params: { key_id }, query: { user_id } }) =>
      serializeKey(await keepKey(c.get("ctx"), sessionOf(c), key_id, user_id)),
  )
}
