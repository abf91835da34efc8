import * as z from "zod"
import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { notAnOwner } from "./refusals.ts"

export const memberRequirementsSchema = z
  .strictObject({
    second_factor: z.boolean().meta({
      description: "True: a member without a second factor cannot act for the account. You need one yourself first.",
    }),
  })
  .meta({ id: "MemberRequirements" })

export const PUT_MEMBER_RULES_ERRORS = ["SECOND_FACTOR_NOT_SET_UP"] as const

/** Sets what the account requires of its members. Throws SECOND_FACTOR_NOT_SET_UP. */
export async function putMemberRules(
  ctx: Context,
  credential: SessionCredential,
  { second_factor }: z.infer<typeof memberRequirementsSchema>,
): Promise<z.infer<typeof memberRequirementsSchema>> {
  const { row } = await callAs(ctx, credential, "put_member_rules", { need_factor: second_factor })
  if (row.refused === "own_factor") {
    const message = "Set up your own second factor before you require one of members."
    throw new TurnpikeError("SECOND_FACTOR_NOT_SET_UP", message)
  }
  if (row.refused !== null) throw notAnOwner()
  return { second_factor }
}
