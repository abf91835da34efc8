import type { Context } from "../actor/context.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import type { OpenErasure } from "./erasure-row.ts"
import { ERASURE_POLICY } from "./policies.ts"
import { checkErasure, runErasure } from "./run-erasure.ts"

/** Goes on with the erasures that are not complete: one that fails stands behind the others at the next run. */
export async function sweepErasures(ctx: Context): Promise<{ tried: number; failed: number }> {
  const now = ctx.clock.now()
  const taken = await call<"take_erasures", { erasure: OpenErasure }>(ctx.db, "take_erasures", {
    settled: new Date(now.getTime() - ERASURE_POLICY.checkAfterMs),
    limit: ERASURE_POLICY.sweepBatch,
    moment: now,
  })
  let failed = 0
  for (const { erasure } of taken) {
    try {
      if (erasure.erased_at === null) await runErasure(ctx, erasure, { rounds: ERASURE_POLICY.roundsOfSweep })
      else await checkErasure(ctx, erasure)
    } catch (error) {
      failed++
      ctx.log("error", "erasure.failed", { erasure_id: erasure.erasure_id, error: describeError(error) })
    }
  }
  return { tried: taken.length, failed }
}
