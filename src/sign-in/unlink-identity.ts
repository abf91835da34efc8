import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import type { SessionCredential } from "../actor/credential.ts"
import { TurnpikeError } from "../base/errors.ts"

/**
 * Takes an identity from the caller: it signs nobody in to their account any more. Of two that are taken at once the later one
 * sees what is left. NOT_FOUND; LAST_WAY_IN: no other identity, and no email with a password.
 */
export async function unlinkIdentity(ctx: Context, credential: SessionCredential, id: string): Promise<void> {
  const { row } = await callAs(ctx, credential, "unlink_identity", {
    identity_id: id,
    request_id: ctx.requestId,
    address: ctx.address,
  })
  if (row.refused === "unknown") throw new TurnpikeError("NOT_FOUND", `There is no identity "${id}" of yours.`)
  if (row.refused) throw new TurnpikeError("LAST_WAY_IN", "This is the last way in to your account.")
}
