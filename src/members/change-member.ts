import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import type { MemberRole } from "../base/member-roles.ts"
import { endKeyTurns } from "../ending/causes.ts"
import { serializeKnownKey } from "../keys/known-key.ts"
import { lastOwner, notAnOwner, personNotFound } from "./refusals.ts"
import { keysDecision, roleField } from "./schemas.ts"

export const updateMemberSchema = z
  .strictObject({ role: roleField, keys: keysDecision.optional() })
  .meta({ id: "UpdateMember" })

export const CHANGE_MEMBER_ERRORS = ["NOT_FOUND", "LAST_OWNER", "MEMBER_HAS_KEYS"] as const

/**
 * Gives a person of the account another role, or removes the person (`role` null). Throws NOT_FOUND, LAST_OWNER,
 * MEMBER_HAS_KEYS without a decision about the person's keys, and ROLE_REQUIRED for a caller who is no owner any more.
 */
export async function changeMember(
  ctx: Context,
  credential: SessionCredential,
  {
    userId,
    role,
    keys = null,
  }: { userId: number; role: MemberRole | null; keys?: "revoke" | "keep" | null | undefined },
): Promise<void> {
  const { actor, row } = await callAs(ctx, credential, "change_member", { person: userId, role, keys })
  if (row.refused === "keys") {
    const message = "The person knows the values of these keys. Say in `keys` whether to revoke or to keep them."
    throw new TurnpikeError("MEMBER_HAS_KEYS", message, { details: { keys: (row.keys ?? []).map(serializeKnownKey) } })
  }
  if (row.refused === "right") throw notAnOwner()
  if (row.refused === "last_owner") throw lastOwner()
  if (row.refused !== null) throw personNotFound(userId)
  if (keys !== "revoke") return
  for (const { key, value } of row.keys ?? []) {
    if (value === "current") await endKeyTurns(ctx, { key_id: key.key_id, user_id: actor.user_id })
  }
}
