import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { notAnOwner } from "./refusals.ts"

export const REVOKE_INVITATION_ERRORS = ["NOT_FOUND"] as const

/** Ends an invitation. Can be repeated. Throws NOT_FOUND. */
export async function revokeInvitation(
  ctx: Context,
  credential: SessionCredential,
  invitationId: string,
): Promise<void> {
  const { row } = await callAs(ctx, credential, "revoke_invitation", { invitation_id: invitationId })
  if (row.refused === "right") throw notAnOwner()
  if (row.refused !== null) {
    throw new TurnpikeError("NOT_FOUND", `There is no invitation "${invitationId}" of this account.`)
  }
}
