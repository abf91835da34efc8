import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/**
 * Commits for this worker's epoch, and repeats that for some seconds when the database does not answer, since the model calls have been
 * paid for. Repeating is safe: a step or an end that is there already counts as success.
 */
export async function repeatCommit<T>(ctx: Pick<Context, "clock" | "log">, commit: () => Promise<T>): Promise<T> {
  const began = ctx.clock.now().getTime()
  for (const pause of TURN_POLICY.commitPausesMs) {
    try {
      return await commit()
    } catch (error) {
      const isLate = ctx.clock.now().getTime() - began > TURN_POLICY.commitMs
      if (!(error instanceof TurnpikeError && error.code === "UNAVAILABLE") || isLate) throw error
      ctx.log("error", "turn.commit_repeated", { pause_ms: pause })
      await ctx.clock.sleep(pause)
    }
  }
  return commit()
}
