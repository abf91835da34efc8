import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { toInstant } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import { invalidToken } from "../sign-in/sign-in-token.ts"
import { roleField } from "./schemas.ts"

export const openedInvitationSchema = z
  .object({
    account: z.string().nullable().meta({ description: "The name of the account.", example: "Acme" }),
    email: z.string().meta({ example: "ben@example.com" }),
    role: roleField,
    invited_by: z.string().nullable().meta({ description: "The name of the owner who invited.", example: "Ada" }),
    expires_at: z.iso.datetime(),
    new_user: z.boolean().meta({
      description:
        "True if the link came by email and the email has no user: `POST /api/auth/invitations/join` then makes one. Otherwise sign in " +
        "with the email, and call `POST /api/account/memberships`.",
    }),
  })
  .meta({ id: "OpenedInvitation" })

/** The invitation of a link. Throws INVALID_TOKEN. */
export async function readInvitation(ctx: Context, token: string): Promise<z.infer<typeof openedInvitationSchema>> {
  const { find_invitation: opened } = await callOne(ctx.db, "find_invitation", { token, moment: ctx.clock.now() })
  if (!opened?.account_id) throw invalidToken()
  return {
    account: opened.account,
    email: opened.email,
    role: opened.role as z.infer<typeof roleField>,
    invited_by: opened.invited_by,
    expires_at: toInstant(opened.expires_at),
    new_user: opened.by_mail && opened.has_user === false,
  }
}
