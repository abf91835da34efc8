import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { TurnpikeError } from "../base/errors.ts"
import { type ProvedIdentity, storable } from "./resolve-identity.ts"

/**
 * Gives the caller an identity, as one more way in, whatever its email. Again: no change. IDENTITY_TAKEN: it is somebody else's;
 * LOGIN_STATE_INVALID: the caller is not `userId`, who has asked for it.
 */
export async function linkIdentity(
  ctx: Context,
  credential: SessionCredential,
  { userId, identity }: { userId: number; identity: ProvedIdentity },
): Promise<void> {
  const { issuer, subject, email, emailVerified } = storable(identity)
  const { row } = await callAs(ctx, credential, "link_identity", {
    user_id: userId,
    issuer,
    subject,
    email,
    email_verified: emailVerified,
    request_id: ctx.requestId,
    address: ctx.address,
  })
  if (row.refused === "another_account") {
    throw new TurnpikeError("LOGIN_STATE_INVALID", "Another account has signed in here meanwhile. Nothing was linked.")
  }
  if (row.refused) throw new TurnpikeError("IDENTITY_TAKEN", "This identity belongs to another account.")
}
