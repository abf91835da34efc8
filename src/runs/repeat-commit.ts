import type { Context } from "../actor/context.ts"
import { TurnpikeError } from "../base/errors.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/**
 * Runs a commit, and repeats it for some seconds if the database does not answer, because its model calls are paid for
 * already. Repeating is safe: a step or an end that is already committed counts as success.
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
