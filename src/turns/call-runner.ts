import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"

export const RUNNERS_PATH = "/callbacks/turns"

/**
 * Asks the queue, after the commit, for a runner: an invocation that takes turns which are ready. The message names none of them. Never
 * throws: a runner that is under way looks once a second, and the sweeper calls one for what is left.
 */
export async function callRunner(ctx: Context, { delayMs = 0 } = {}): Promise<boolean> {
  try {
    await ctx.queue.publish({ path: RUNNERS_PATH, flow: { of: "turns" }, delayMs })
    return true
  } catch (error) {
    ctx.log("error", "runner.call_failed", { error: describeError(error) })
    return false
  }
}
