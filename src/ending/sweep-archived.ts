import type { Context } from "../actor/context.ts"
import { archivedCause } from "../spaces/archive-space.ts"
import { SPACE_POLICY } from "../spaces/policies.ts"
import { sweepEnding } from "./end-turns.ts"

/**
 * Ends what is left of the turns of archived spaces: those beyond the first batch, and those whose acceptance was under way.
 * A space is done with when nothing is left some minutes after it was archived.
 */
export async function sweepArchivedSpaces(ctx: Context): Promise<{ cancelled: number; done: number }> {
  const spaces = await ctx.db
    .selectFrom("spaces")
    .select(["space_id", "user_id", "test"])
    .where("ending_turns", "=", true)
    .orderBy("archived_at")
    .limit(SPACE_POLICY.sweepBatch)
    .execute()
  const settled = { batches: SPACE_POLICY.sweepBatches, settlesMs: SPACE_POLICY.archiveSettlesMs }
  const { touched, done } = await sweepEnding(ctx, spaces.map(archivedCause), settled)
  return { cancelled: touched, done }
}
