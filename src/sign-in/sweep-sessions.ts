import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"

const BATCH = 1_000
const BATCHES = 10

/** Deletes sessions that expired longer ago than the setting session_days. */
export async function sweepSessions(ctx: Pick<Context, "db" | "clock">): Promise<{ forgotten: number }> {
  let forgotten = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const { forget_sessions } = await callOne(ctx.db, "forget_sessions", { limit: BATCH, moment: ctx.clock.now() })
    forgotten += forget_sessions ?? 0
    if ((forget_sessions ?? 0) < BATCH) break
  }
  return { forgotten }
}
