import * as z from "zod"
import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { hashPassword, newPassword } from "../sign-in/password.ts"
import { invalidToken } from "../sign-in/sign-in-token.ts"
import { userFields } from "../users/admin-user.ts"
import { readInvitation } from "./read-invitation.ts"
import { invitationToken } from "./schemas.ts"

export const joinAsNewSchema = z
  .strictObject({ token: invitationToken, name: userFields.name, password: newPassword })
  .meta({ id: "JoinAsNewUser" })

/** Makes a user for the holder of an emailed link, who becomes a member. Returns the user. Throws INVALID_TOKEN. */
export async function joinAsNew(
  ctx: Context,
  { token, name, password }: z.infer<typeof joinAsNewSchema>,
): Promise<number> {
  // No password is hashed for a token that opens nothing.
  const { new_user } = await readInvitation(ctx, token)
  if (!new_user) throw invalidToken()
  const { join_as_new: userId } = await callOne(ctx.db, "join_as_new", {
    token,
    name: name ?? null,
    password_hash: await hashPassword(password),
    request_id: ctx.requestId,
    address: ctx.address,
    moment: ctx.clock.now(),
  })
  if (userId === null) throw invalidToken()
  return userId
}
