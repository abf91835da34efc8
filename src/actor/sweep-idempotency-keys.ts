import { callOne } from "../platform/db.ts"
import type { Context } from "./context.ts"
import { ONCE_POLICY } from "./once.ts"

const DAY_MS = 86_400_000

/** Forgets Idempotency-Keys that are older than they are kept. */
export async function sweepIdempotencyKeys(ctx: Context): Promise<{ forgotten: number }> {
  const before = new Date(ctx.clock.now().getTime() - ONCE_POLICY.keyDays * DAY_MS)
  const limit = ONCE_POLICY.sweepBatch
  let forgotten = 0
  for (let batch = 0; batch < ONCE_POLICY.sweepBatches; batch++) {
    const answer = await callOne(ctx.db, "forget_idempotency_keys", { before, limit })
    const count = answer.forget_idempotency_keys ?? 0
    forgotten += count
    if (count < limit) break
  }
  return { forgotten }
}
