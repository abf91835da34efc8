import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { MEMBER_ROLES } from "../base/member-roles.ts"
import { knownKeySchema, serializeKnownKey } from "../keys/known-key.ts"
import { notAnOwner, personNotFound } from "./refusals.ts"

export const transferAccountSchema = z
  .strictObject({
    user_id: z.int().min(1).meta({ description: "The person of the account who becomes an owner.", example: 43 }),
    role: z.enum(MEMBER_ROLES).exclude(["owner"]).nullable().meta({
      description: "Your role afterwards. Null: you leave the account.",
      example: "developer",
    }),
  })
  .meta({ id: "TransferAccount" })

export const transferredSchema = z
  .object({
    keys_to_decide: z.array(knownKeySchema).meta({
      description: "Keys whose values you know, and that have more rights than you now. The owners decide about them.",
    }),
  })
  .meta({ id: "TransferredAccount" })

export const TRANSFER_ACCOUNT_ERRORS = ["NOT_FOUND", "MEMBER_FACTOR_REQUIRED"] as const

/** Makes another person of the account an owner in the caller's place. Throws NOT_FOUND, MEMBER_FACTOR_REQUIRED. */
export async function transferAccount(
  ctx: Context,
  credential: SessionCredential,
  { user_id, role }: z.infer<typeof transferAccountSchema>,
): Promise<z.infer<typeof transferredSchema>> {
  const { row } = await callAs(ctx, credential, "transfer_account", { person: user_id, role })
  if (row.refused === "self") {
    throw new TurnpikeError("VALIDATION_FAILED", "user_id: must be another person than you", { param: "user_id" })
  }
  if (row.refused === "member_factor") {
    const message = "The account requires a second factor of its members, and this person has none."
    throw new TurnpikeError("MEMBER_FACTOR_REQUIRED", message)
  }
  if (row.refused === "right") throw notAnOwner()
  if (row.refused !== null) throw personNotFound(user_id)
  return { keys_to_decide: (row.keys ?? []).map(serializeKnownKey) }
}
