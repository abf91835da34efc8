import type { Credential } from "../actor/actor.ts"
import { callFreeing } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { newId } from "../base/ids.ts"
import { describeError } from "../platform/log.ts"
import { endUserNotFound, needsScopeAll } from "./get-end-user.ts"
import { type ErasureRow, getErasure } from "./get-erasure.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { runErasure } from "./run-erasure.ts"

export const ERASE_END_USER_ERRORS = ["NOT_FOUND", "SCOPE_DENIED"] as const

/**
 * Erases all texts, results, history and files of an end user until now, in the whole account. The first statement
 * records the request, and the sweeper finishes what this call does not. Throws NOT_FOUND, SCOPE_DENIED.
 */
export async function eraseEndUser(ctx: Context, credential: Credential, ref: string): Promise<ErasureRow> {
  const { row } = await callFreeing(ctx, credential, "erase_end_user", {
    ref,
    erasure_id: newId("erasure", ctx.clock.now()),
  })
  const { refused, erasure } = row
  if (refused === "scope") throw needsScopeAll("Erasing an end user")
  if (refused === "unknown" || !erasure) throw endUserNotFound(ref)
  try {
    await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfRequest })
  } catch (error) {
    ctx.log("error", "erasure.failed", { erasure_id: erasure.erasure_id, error: describeError(error) })
  }
  return getErasure(ctx, credential, erasure.erasure_id)
}
