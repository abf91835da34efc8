import { sweepIdempotencyKeys } from "./actor/once.ts"
import { sweepAnalytics } from "./analytics/roll.ts"
import { sweepPostings } from "./billing/post-charges.ts"
import { sweepBooks } from "./billing/reconcile.ts"
import { sweepErasures } from "./end-users/run-erasure.ts"
import { sweepArchivedSpaces, sweepDisabledUsers, sweepExpiredTurns, sweepRevokedKeys } from "./ending/causes.ts"
import { sweepFiles } from "./files/sweep-files.ts"
import { sweepInfrastructure } from "./infrastructure/errors.ts"
import { abortAfter } from "./platform/clock.ts"
import { describeError } from "./platform/log.ts"
import { type PoolContext, sweepCapacity } from "./providers/capacity.ts"
import { sweepProviderLogins } from "./providers/poll-device-login.ts"
import { sweepSnapshots } from "./providers/sweep-snapshots.ts"
import { sweepCounters } from "./quotas/sweep-counters.ts"
import { sweepTurns } from "./runs/sweep-turns.ts"
import { sweepSessions } from "./sign-in/sweep-sessions.ts"
import { sweepPlans } from "./subscriptions/credit-plans.ts"
import { sweepOverview } from "./system/get-overview.ts"
import { noteSweeps, type SweepRun } from "./system/note-sweeps.ts"
import { sweepTestTurns } from "./turns/forget-test-turns.ts"
import { sweepWaits } from "./waits/sweep-waits.ts"
import { sweepStoppedWebhooks, sweepWebhooks } from "./webhooks/sweep-webhooks.ts"

/** A sweep may be cut off anywhere and started again, even while it still runs. Returns counts for the log. */
type Sweep = (ctx: PoolContext) => Promise<object>

/** The sweeps that the cron trigger runs every minute. Each sweep of a room has one line here. */
const SWEEPS: Record<string, Sweep> = {
  turns: sweepTurns,
  waits: sweepWaits,
  expired_turns: sweepExpiredTurns,
  test_turns: sweepTestTurns,
  keys: sweepRevokedKeys,
  disabled_users: sweepDisabledUsers,
  spaces: sweepArchivedSpaces,
  erasures: sweepErasures,
  webhooks: sweepWebhooks,
  stopped_webhooks: sweepStoppedWebhooks,
  files: sweepFiles,
  idempotency_keys: sweepIdempotencyKeys,
  sessions: sweepSessions,
  counters: sweepCounters,
  postings: sweepPostings,
  analytics: sweepAnalytics,
  plans: sweepPlans,
  overview: sweepOverview,
  books: sweepBooks,
  infrastructure: sweepInfrastructure,
  provider_logins: sweepProviderLogins,
  capacity: sweepCapacity,
  snapshots: sweepSnapshots,
}

/** The time limit of one sweep, so that all sweeps end before the next minute begins. */
export const SWEEP_BUDGET_MS = 50_000

/**
 * Runs all sweeps in parallel and records how each ended. A sweep that fails or hangs neither stops nor delays the
 * others. It is recorded as failed and starts again with the next run. Never throws.
 */
export async function runSweeps(ctx: PoolContext, sweeps: Record<string, Sweep> = SWEEPS): Promise<void> {
  await noteSweeps(ctx, await Promise.all(Object.entries(sweeps).map(([name, sweep]) => runSweep(ctx, name, sweep))))
}

async function runSweep(ctx: PoolContext, name: string, sweep: Sweep): Promise<SweepRun> {
  const ranAt = ctx.clock.now()
  let ok = true
  try {
    const counts = await withinBudget(ctx, sweep)
    if (hasDone(counts)) ctx.log("info", `${name}.swept`, { ...counts })
  } catch (error) {
    ok = false
    ctx.log("error", `${name}.sweep_failed`, { error: describeError(error) })
  }
  return { name, ran_at: ranAt.toISOString(), duration_ms: ctx.clock.now().getTime() - ranAt.getTime(), ok }
}

/** True if a sweep has counted anything. One that found nothing to do is not logged. */
const hasDone = (counts: object) => Object.values(counts).some((count) => typeof count === "number" && count > 0)

/** Returns the counts of a sweep, or throws when its time is over. A late sweep ends with its invocation. */
async function withinBudget(ctx: PoolContext, sweep: Sweep): Promise<object> {
  const over = abortAfter(ctx.clock, SWEEP_BUDGET_MS, () => new Error(`it took longer than ${SWEEP_BUDGET_MS} ms`))
  const late = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener("abort", () => reject(over.signal.reason))
  })
  try {
    return await Promise.race([sweep(ctx), late])
  } finally {
    over.clear()
  }
}
