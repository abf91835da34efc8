import { randomBytes } from "node:crypto"
import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { countReached, dailyExceeded } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import type { MemberRole } from "../base/member-roles.ts"
import { sendEmail } from "../platform/email-hook.ts"
import { originOfBrand } from "../sign-in/brand-origin.ts"
import { INVITATION_POLICY } from "./policies.ts"
import { notAnOwner } from "./refusals.ts"
import { invitationSchema, roleField, serializeInvitation } from "./schemas.ts"

export const inviteMemberSchema = z
  .strictObject({
    email: z
      .email()
      .max(320)
      .meta({ description: "Only a user with this email can accept.", example: "ben@example.com" }),
    role: roleField,
  })
  .meta({ id: "InviteMember" })

export const newInvitationSchema = invitationSchema
  .extend({
    url: z.string().meta({
      description:
        "The link for the person. Only this response contains it, and the service does not store it. It works once, for a user with the email.",
      example: "https://turnpike.example/invitation#token=Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ",
    }),
    emailed: z.boolean().meta({ description: "True if the service also sends a link by email." }),
  })
  .meta({ id: "NewInvitation" })

export const INVITE_MEMBER_ERRORS = ["ALREADY_MEMBER", "LIMIT_REACHED", "QUOTA_EXCEEDED"] as const

/**
 * Invites a person, by a link for the owner and another one by email. Throws ALREADY_MEMBER, LIMIT_REACHED,
 * QUOTA_EXCEEDED, and ROLE_REQUIRED for a caller who is no owner any more.
 */
export async function inviteMember(
  ctx: Context,
  credential: SessionCredential,
  { email, role, origin }: { email: string; role: MemberRole; origin: string },
): Promise<z.infer<typeof newInvitationSchema>> {
  const now = ctx.clock.now()
  const [link, mail] = [newToken(), newToken()]
  const { row } = await callAs(ctx, credential, "invite_member", {
    invitation_id: newId("invitation", now),
    email: email.trim(),
    role,
    link_token: link,
    mail_token: mail,
    expires_at: new Date(now.getTime() + INVITATION_POLICY.lifeMs),
  })
  if (row.refused === "right") throw notAnOwner()
  if (row.refused === "member") {
    throw new TurnpikeError("ALREADY_MEMBER", "A user with this email already belongs to the account.")
  }
  if (row.reached) throw countReached(row.reached)
  if (row.daily) throw dailyExceeded(row.daily)
  if (!row.invitation) throw new Error(`invite_member refused: ${row.refused}`)
  const invitation = serializeInvitation(row.invitation)
  const home = await originOfBrand(ctx, row.brand ?? ctx.brand, origin)
  if (ctx.emailHook && home !== null) {
    const { invited_by, expires_at } = invitation
    const data = { url: urlOf(home, mail), account: row.account, role, invited_by, expires_at }
    sendEmail(ctx, { kind: "member_invited", to: invitation.email, brand: row.brand ?? ctx.brand, data })
  }
  return { ...invitation, url: urlOf(home ?? origin, link), emailed: ctx.emailHook !== null && home !== null }
}

const newToken = () => randomBytes(32).toString("base64url")

/** The token is in the fragment, so it appears in no server log and no Referer. */
const urlOf = (origin: string, token: string) => `${origin}/invitation#token=${token}`
