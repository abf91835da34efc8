import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { ANALYTICS_POLICY } from "./policies.ts"

/** Moves ended turns from their queue into the totals of their spaces. */
export async function sweepTotals(ctx: Context): Promise<{ rolled: number }> {
  const limit = ANALYTICS_POLICY.totalsBatch
  let rolled = 0
  for (let batch = 0; batch < ANALYTICS_POLICY.totalsBatches; batch++) {
    const { roll_totals: moved } = await callOne(ctx.db, "roll_totals", { limit })
    rolled += moved ?? 0
    if ((moved ?? 0) < limit) break
  }
  return { rolled }
}
