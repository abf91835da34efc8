import type { Context } from "../actor/context.ts"
import { KEY_POLICY } from "../sign-in/policies.ts"
import { endTurns, sweepEnding } from "./end-turns.ts"

/** A key whose turns are to end. */
export interface EndingKey {
  key_id: string
  user_id: number
}

const causeOf = ({ key_id, user_id }: EndingKey) =>
  ({ cause: "key", userId: user_id, keyId: key_id, reason: "key_revoked" }) as const

/** Ends the open turns of a key that was revoked, as many as one request takes; the sweeper does the rest. */
export async function endKeyTurns(ctx: Context, key: EndingKey): Promise<void> {
  await endTurns(ctx, causeOf(key), { batches: KEY_POLICY.endBatches })
}

/** Ends what is left of the turns of revoked keys: those beyond the first batches, and those whose acceptance was under way. */
export async function sweepRevokedKeys(ctx: Context): Promise<{ turns: number }> {
  const keys = await ctx.db
    .selectFrom("api_keys")
    .select(["key_id", "user_id"])
    .where("ending_turns", "=", true)
    .orderBy("revoked_at")
    .limit(KEY_POLICY.sweepKeys)
    .execute()
  const settled = { batches: KEY_POLICY.endBatches, settlesMs: KEY_POLICY.settledAfterMs }
  const { touched } = await sweepEnding(ctx, keys.map(causeOf), settled)
  return { turns: touched }
}
