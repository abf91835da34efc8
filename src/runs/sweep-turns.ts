import type { Context } from "../actor/context.ts"
import { inParallel } from "../base/in-parallel.ts"
import { call } from "../platform/db.ts"
import { describeError } from "../platform/log.ts"
import { TURN_POLICY } from "../turns/policies.ts"
import { callMissingRunner } from "./call-missing-runner.ts"
import { settleTurn } from "./settle-turns.ts"

export interface Sweep {
  /** True if a runner was called. */
  called: boolean
  lost: number
  failed: number
}

/**
 * Repairs the effects of lost messages and dead workers. Calls a runner if turns are ready and no runner is about to
 * look. Fails turns that were lost `maxAttempts` times with ENGINE_LOST. sweepExpiredTurns ends unstarted ones.
 */
export async function sweepTurns(ctx: Context): Promise<Sweep> {
  const sweep: Sweep = { called: await callMissingRunner(ctx), lost: 0, failed: 0 }
  const passed: string[] = []
  for (let batch = 0; batch < TURN_POLICY.sweepBatches; batch++) {
    const lost = await lostTurns(ctx, passed)
    // Each turn is tried once, so that failing turns do not block the others.
    passed.push(...lost.map(({ turn_id }) => turn_id))
    const failedBefore = sweep.failed
    await inParallel(lost, (turn) => endLost(ctx, sweep, turn))
    if (lost.length < TURN_POLICY.sweepBatch || sweep.failed - failedBefore === lost.length) break
  }
  return sweep
}

interface LostTurn {
  turn_id: string
  epoch: number
}

function lostTurns(ctx: Context, passed: readonly string[]): Promise<LostTurn[]> {
  return call<"lost_turns", LostTurn>(ctx.db, "lost_turns", {
    max_attempts: TURN_POLICY.maxAttempts,
    passed,
    limit: TURN_POLICY.sweepBatch,
    moment: ctx.clock.now(),
  })
}

/** Ends a lost turn. A failure is counted and does not stop the sweep. */
async function endLost(ctx: Context, sweep: Sweep, turn: LostTurn): Promise<void> {
  const message = "The turn was lost several times while it ran. Nothing was billed."
  const outcome = { state: "failed", code: "ENGINE_LOST", message, ours: true, result: null } as const
  try {
    // A slow worker may have committed a step in the meantime; then the turn is not lost.
    await settleTurn(ctx, turn, outcome, { lostAfter: TURN_POLICY.maxAttempts })
    sweep.lost++
  } catch (error) {
    sweep.failed++
    ctx.log("error", "sweep.turn_failed", { turn_id: turn.turn_id, error: describeError(error) })
  }
}
