import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { invalidToken } from "../sign-in/sign-in-token.ts"

export const ACCEPT_INVITATION_ERRORS = ["INVALID_TOKEN", "INVITED_EMAIL_REQUIRED", "ALREADY_MEMBER"] as const

/** Makes the signed-in user a member. Throws INVALID_TOKEN, INVITED_EMAIL_REQUIRED, ALREADY_MEMBER. */
export async function acceptInvitation(
  ctx: Context,
  credential: SessionCredential,
  token: string,
): Promise<{ user_id: number }> {
  const { row } = await callAs(ctx, credential, "accept_invitation", { token })
  if (row.refused === "email") {
    const message = "The invitation is for another email. Sign in with the email that was invited."
    throw new TurnpikeError("INVITED_EMAIL_REQUIRED", message)
  }
  if (row.refused === "member") throw new TurnpikeError("ALREADY_MEMBER", "You already belong to this account.")
  if (row.refused !== null || row.account_id === null) throw invalidToken()
  return { user_id: row.account_id }
}
