import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"

const BATCH = 200
const BATCHES = 20

/** Deletes the content of test turns that ended long ago. Accounts pay nothing for them, so they are not kept. */
export async function sweepTestTurns(ctx: Pick<Context, "db" | "clock">): Promise<{ forgotten: number }> {
  let forgotten = 0
  for (let batch = 0; batch < BATCHES; batch++) {
    const { forget_test_turns } = await callOne(ctx.db, "forget_test_turns", { limit: BATCH, moment: ctx.clock.now() })
    forgotten += forget_test_turns ?? 0
    if ((forget_test_turns ?? 0) < BATCH) break
  }
  return { forgotten }
}
