import type { Context } from "../actor/context.ts"
import { DAY_MS } from "../base/time.ts"
import { callOne } from "../platform/db.ts"
import { QUOTA_POLICY } from "./policies.ts"

/** Deletes the counters of days, windows and months that ended long ago. */
export async function sweepCounters(ctx: Context): Promise<{ forgotten: number }> {
  const short = await forget(ctx, { months: false, days: QUOTA_POLICY.shortDays })
  const months = await forget(ctx, { months: true, days: QUOTA_POLICY.monthDays })
  return { forgotten: short + months }
}

async function forget(ctx: Context, { months, days }: { months: boolean; days: number }): Promise<number> {
  const before = new Date(ctx.clock.now().getTime() - days * DAY_MS)
  const most = QUOTA_POLICY.sweepBatch
  let forgotten = 0
  for (let batch = 0; batch < QUOTA_POLICY.sweepBatches; batch++) {
    const { forget_counters: gone } = await callOne(ctx.db, "forget_counters", { months, before, most })
    forgotten += gone ?? 0
    if ((gone ?? 0) < most) break
  }
  return forgotten
}
