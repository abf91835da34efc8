import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { QUOTA_POLICY } from "./policies.ts"

const DAY_MS = 86_400_000

/** Forgets the counters of days, windows and months that are long over. */
export async function sweepCounters(ctx: Context): Promise<{ forgotten: number }> {
  const short = await forget(ctx, sql`period <> 'month'`, QUOTA_POLICY.shortDays)
  const months = await forget(ctx, sql`period = 'month'`, QUOTA_POLICY.monthDays)
  return { forgotten: short + months }
}

async function forget(ctx: Context, which: RawBuilder<unknown>, days: number): Promise<number> {
  const limit = new Date(ctx.clock.now().getTime() - days * DAY_MS)
  let forgotten = 0
  for (let batch = 0; batch < QUOTA_POLICY.sweepBatches; batch++) {
    const { numAffectedRows = 0n } = await sql`delete from spend_counters where ctid = any (array(
      select ctid from spend_counters where ${which} and starts_at < ${limit}::timestamptz
      order by starts_at limit ${QUOTA_POLICY.sweepBatch}::integer))`.execute(ctx.db)
    forgotten += Number(numAffectedRows)
    if (numAffectedRows < QUOTA_POLICY.sweepBatch) break
  }
  return forgotten
}
