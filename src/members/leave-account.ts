import type { SessionCredential } from "../actor/actor.ts"
import { callAs } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { lastOwner } from "./refusals.ts"

export const LEAVE_ACCOUNT_ERRORS = ["NOT_FOUND", "LAST_OWNER"] as const

/** The signed-in user leaves an account. Throws NOT_FOUND, LAST_OWNER. */
export async function leaveAccount(ctx: Context, credential: SessionCredential, accountId: number): Promise<void> {
  const { row } = await callAs(ctx, credential, "leave_account", { account: accountId })
  if (row.refused === "unknown") {
    throw new TurnpikeError("NOT_FOUND", `You do not belong to the account ${accountId}.`)
  }
  if (row.refused !== null) throw lastOwner()
}
