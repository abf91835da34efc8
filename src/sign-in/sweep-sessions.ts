import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { SESSION_POLICY } from "./policies.ts"

const BATCH = 1_000
const BATCHES = 10

/** Deletes sessions that expired more than `keptMs` ago. */
export async function sweepSessions(ctx: Pick<Context, "db" | "clock">): Promise<{ forgotten: number }> {
  const before = new Date(ctx.clock.now().getTime() - SESSION_POLICY.keptMs)
  let forgotten = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const { forget_sessions } = await callOne(ctx.db, "forget_sessions", { before, limit: BATCH })
    forgotten += forget_sessions ?? 0
    if ((forget_sessions ?? 0) < BATCH) break
  }
  return { forgotten }
}
