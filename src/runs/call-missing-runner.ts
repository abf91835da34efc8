import type { Context } from "../actor/context.ts"
import { callOne } from "../platform/db.ts"
import { callRunner } from "../turns/call-runner.ts"
import { TURN_POLICY } from "../turns/policies.ts"

/** Calls a runner if turns are ready and no runner is about to look for them. Returns true if it called one. */
export async function callMissingRunner(ctx: Context): Promise<boolean> {
  const { lacks_runner } = await callOne(ctx.db, "lacks_runner", {
    runners: ctx.slots.runners,
    live_slots: ctx.slots.live,
    test_slots: ctx.slots.test,
    max_attempts: TURN_POLICY.maxAttempts,
    moment: ctx.clock.now(),
  })
  return lacks_runner === true && (await callRunner(ctx))
}
