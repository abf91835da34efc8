import { sql } from "kysely"
import type { Context } from "../context.ts"
import { ONCE_POLICY } from "./once.ts"

const DAY_MS = 86_400_000

/** Forgets Idempotency-Keys that are older than they are kept. */
export async function sweepIdempotencyKeys(ctx: Context): Promise<{ forgotten: number }> {
  const limit = new Date(ctx.clock.now().getTime() - ONCE_POLICY.keyDays * DAY_MS)
  let forgotten = 0
  for (let batch = 0; batch < ONCE_POLICY.sweepBatches; batch++) {
    const { numAffectedRows = 0n } = await sql`delete from idempotency_keys where ctid = any (array(
      select ctid from idempotency_keys where created_at <= ${limit}::timestamptz
      order by created_at limit ${ONCE_POLICY.sweepBatch}))`.execute(ctx.db)
    forgotten += Number(numAffectedRows)
    if (numAffectedRows < ONCE_POLICY.sweepBatch) break
  }
  return { forgotten }
}
