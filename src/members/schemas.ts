import * as z from "zod"
import { MEMBER_ROLES } from "../base/member-roles.ts"
import { toInstant } from "../base/time.ts"
import type { Answers } from "../platform/procedures.ts"

export const roleField = z.enum(MEMBER_ROLES).meta({
  description:
    "`owner`: everything. `developer`: spaces, tools, keys, webhooks and turns, but no decisions about money. `billing`: " +
    "balance, prices, wallets, caps and limits. `read_only`: reads everything except secrets.",
  example: "developer",
})

export const invitationSchema = z
  .object({
    invitation_id: z.string().meta({ example: "inv_01jd3k9m2x4t8r5w6y7z0a1b2c" }),
    email: z.string().meta({ example: "ben@example.com" }),
    role: roleField,
    invited_by: z.string().nullable().meta({ description: "The name of the owner who invited.", example: "Ada" }),
    created_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  })
  .meta({ id: "Invitation" })

export type Invitation = z.infer<typeof invitationSchema>

export const serializeInvitation = (row: Answers["invitation_answer"]): Invitation => ({
  ...row,
  role: row.role as Invitation["role"],
  created_at: toInstant(row.created_at),
  expires_at: toInstant(row.expires_at),
})

/** The decision about the keys of a person who loses rights. */
export const keysDecision = z.enum(["revoke", "keep"]).meta({
  description:
    "The decision about the keys whose values the person knows and that have more rights than the person from now on. `revoke`: " +
    "they end at once. `keep`: they stay, and you answer for them. If the `known_value` of a key is `former`, " +
    "only the old values end or stay. To keep a key in use with another value, rotate it before, without an overlap. " +
    "Without a decision the answer is 409 `MEMBER_HAS_KEYS` with these keys.",
})

export const invitationToken = z.string().min(1).max(512).meta({
  description: "The token of the link.",
  example: "Zm9yIG9uZSBleGNoYW5nZSwgd2l0aGluIGEgbWludXQ",
})

export const invitationTokenSchema = z.strictObject({ token: invitationToken }).meta({ id: "InvitationToken" })
