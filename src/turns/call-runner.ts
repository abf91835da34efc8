import type { Context } from "../actor/context.ts"
import { describeError } from "../platform/log.ts"

export const RUNNERS_PATH = "/callbacks/turns"

/**
 * Publishes a message that starts a runner: an invocation that takes ready turns. The message names none. Call it after
 * the commit. Never throws: a running runner looks once a second, and the sweep calls a runner for the turns left over.
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
