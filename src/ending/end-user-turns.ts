import type { Context } from "../actor/context.ts"
import { KEY_POLICY } from "../sign-in/policies.ts"
import { endTurns, sweepEnding } from "./end-turns.ts"

const causeOf = (userId: number) => ({ cause: "user", userId, reason: "account_disabled" }) as const

/** Ends the open turns of a disabled account, as many as one request takes; the sweeper does the rest. */
export async function endUserTurns(ctx: Context, userId: number): Promise<void> {
  await endTurns(ctx, causeOf(userId), { batches: KEY_POLICY.endBatches })
}

/** Ends what is left of the turns of disabled accounts, those included whose acceptance was under way. */
export async function sweepDisabledUsers(ctx: Context): Promise<{ turns: number }> {
  const users = await ctx.db
    .selectFrom("users")
    .select("user_id")
    .where("ending_turns", "=", true)
    .where("disabled_at", "is not", null)
    .orderBy("disabled_at")
    .limit(KEY_POLICY.sweepKeys)
    .execute()
  const settled = { batches: KEY_POLICY.endBatches, settlesMs: KEY_POLICY.settledAfterMs }
  const causes = users.map(({ user_id }) => causeOf(user_id))
  const { touched } = await sweepEnding(ctx, causes, settled)
  return { turns: touched }
}
