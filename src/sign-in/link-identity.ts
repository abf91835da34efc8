import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { sendFactorNotice } from "./notices.ts"
import { type ProvedIdentity, storableIdentity } from "./resolve-identity.ts"

export const LINK_IDENTITY_ERRORS = ["LOGIN_STATE_INVALID", "IDENTITY_TAKEN", "LOGIN_PROVIDER_FAILED"] as const

/**
 * Links an identity to the caller, whatever its email. Throws IDENTITY_TAKEN if it belongs to another
 * account, and LOGIN_STATE_INVALID if the caller is not `userId`, the user who started the flow.
 */
export async function linkIdentity(
  ctx: Context,
  credential: SessionCredential,
  { userId, identity }: { userId: number; identity: ProvedIdentity },
): Promise<void> {
  const { issuer, subject, email, emailVerified } = storableIdentity(identity)
  const { row } = await callAs(ctx, credential, "link_identity", {
    user_id: userId,
    issuer,
    subject,
    email,
    email_verified: emailVerified,
  })
  if (row.refused === "another_account") {
    throw new TurnpikeError(
      "LOGIN_STATE_INVALID",
      "Another account has signed in here in the meantime. Nothing was linked.",
    )
  }
  if (row.refused) throw new TurnpikeError("IDENTITY_TAKEN", "This identity belongs to another account.")
  sendFactorNotice(ctx, userId, { factor: "identity", change: "linked" })
}

export const UNLINK_IDENTITY_ERRORS = ["NOT_FOUND", "LAST_WAY_IN"] as const

/**
 * Unlinks an identity from the caller. Throws NOT_FOUND, or LAST_WAY_IN if the caller could not sign in without it.
 */
export async function unlinkIdentity(ctx: Context, credential: SessionCredential, id: string): Promise<void> {
  const { actor, row } = await callAs(ctx, credential, "unlink_identity", {
    identity_id: id,
  })
  if (row.refused === "unknown") throw new TurnpikeError("NOT_FOUND", `You have no identity "${id}".`)
  if (row.refused)
    throw new TurnpikeError(
      "LAST_WAY_IN",
      "This is your only way to sign in. Link another identity or set a password first.",
    )
  sendFactorNotice(ctx, actor.user_id, { factor: "identity", change: "unlinked" })
}
