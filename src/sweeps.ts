import { sweepIdempotencyKeys } from "./actor/once.ts"
import { sweepAnalytics } from "./analytics/roll.ts"
import { sweepLedgerExports } from "./billing/export-ledger.ts"
import { EXPORT_POLICY, RECONCILIATION_POLICY } from "./billing/policies.ts"
import { POSTING_POLICY, sweepPostings } from "./billing/post-charges.ts"
import { sweepBooks } from "./billing/reconcile.ts"
import { ERASURE_POLICY } from "./end-users/policies.ts"
import { sweepErasures } from "./end-users/run-erasure.ts"
import { sweepArchivedSpaces, sweepDisabledUsers, sweepExpiredTurns, sweepRevokedKeys } from "./ending/causes.ts"
import { FILE_POLICY } from "./files/policies.ts"
import { sweepFiles } from "./files/sweep-files.ts"
import { sweepInfrastructure } from "./infrastructure/errors.ts"
import { abortAfter } from "./platform/clock.ts"
import { SLEEP_POLICY } from "./platform/cron-state.ts"
import { describeError } from "./platform/log.ts"
import { sweepProviderBooks } from "./provider-books/compare-book.ts"
import { type PoolContext, sweepCapacity } from "./providers/capacity.ts"
import { PROVIDER_POLICY } from "./providers/policies.ts"
import { sweepProviderLogins } from "./providers/poll-device-login.ts"
import { sweepSnapshots } from "./providers/sweep-snapshots.ts"
import { sweepCounters } from "./quotas/sweep-counters.ts"
import { sweepStatements } from "./receipts/build-statement.ts"
import { sweepReportFiles } from "./report-files/sweep-report-files.ts"
import { sweepRetention } from "./retention/sweep-retention.ts"
import { sweepTurns } from "./runs/sweep-turns.ts"
import { sweepSessions } from "./sign-in/sweep-sessions.ts"
import { sweepAnomalies } from "./spending/sweep-anomalies.ts"
import { sweepBudgets } from "./spending/sweep-budgets.ts"
import { sweepPlans } from "./subscriptions/credit-plans.ts"
import { sweepPrices } from "./system/check-prices.ts"
import type { DueTimes } from "./system/fall-asleep.ts"
import { sweepOverview } from "./system/get-overview.ts"
import { noteSweeps, type SweepRun } from "./system/note-sweeps.ts"
import { sweepTraces } from "./traces/export-traces.ts"
import { TRACE_POLICY } from "./traces/policies.ts"
import { sweepWaits } from "./waits/sweep-waits.ts"
import { sweepActivity } from "./webhooks/sweep-activity.ts"
import { sweepStoppedWebhooks, sweepWebhooks } from "./webhooks/sweep-webhooks.ts"

/** A sweep may be cut off anywhere and started again, even while it still runs. Returns counts for the log. */
type Sweep = (ctx: PoolContext) => Promise<object>

/** The sweeps that the cron trigger runs every minute. Each sweep of a room has one line here. */
export const SWEEPS = {
  turns: sweepTurns,
  waits: sweepWaits,
  expired_turns: sweepExpiredTurns,
  retention: sweepRetention,
  keys: sweepRevokedKeys,
  disabled_users: sweepDisabledUsers,
  spaces: sweepArchivedSpaces,
  erasures: sweepErasures,
  webhooks: sweepWebhooks,
  stopped_webhooks: sweepStoppedWebhooks,
  activity: sweepActivity,
  files: sweepFiles,
  idempotency_keys: sweepIdempotencyKeys,
  sessions: sweepSessions,
  counters: sweepCounters,
  postings: sweepPostings,
  ledger_exports: sweepLedgerExports,
  statements: sweepStatements,
  report_files: sweepReportFiles,
  analytics: sweepAnalytics,
  plans: sweepPlans,
  budgets: sweepBudgets,
  anomalies: sweepAnomalies,
  overview: sweepOverview,
  books: sweepBooks,
  infrastructure: sweepInfrastructure,
  prices: sweepPrices,
  provider_logins: sweepProviderLogins,
  capacity: sweepCapacity,
  snapshots: sweepSnapshots,
  provider_books: sweepProviderBooks,
  traces: sweepTraces,
} satisfies Record<string, Sweep>

/**
 * The sweeps that have no row in src/system/due-work.sql. Their work may wait until the cron is awake: deleting old
 * rows, comparing days, refreshing what readers see, and expiring turns, which are open and keep it awake.
 */
export const PATIENT_SWEEPS: readonly (keyof typeof SWEEPS)[] = [
  "expired_turns",
  "retention",
  "idempotency_keys",
  "sessions",
  "counters",
  "overview",
  "infrastructure",
  "prices",
  "anomalies",
  "capacity",
  "snapshots",
  "provider_books",
]

const secondsOf = (ms: number) => ms / 1000

/** The times that decide when the work of the other sweeps is due. */
export const DUE_TIMES: DueTimes = {
  erasure_check: secondsOf(ERASURE_POLICY.checkAfterMs),
  upload_limit: secondsOf(FILE_POLICY.uploadLimitMs),
  shards_idle: secondsOf(POSTING_POLICY.idleMs),
  books_every: secondsOf(RECONCILIATION_POLICY.everyMs),
  poll_late: secondsOf(PROVIDER_POLICY.pollLateMs),
  export_closes: secondsOf(EXPORT_POLICY.closeAfterMs),
  traces_kept: secondsOf(TRACE_POLICY.keepsMs),
  longest: secondsOf(SLEEP_POLICY.quietMs),
}

/** The time limit of one sweep, so that all sweeps end before the next minute begins. */
export const SWEEP_BUDGET_MS = 50_000

/**
 * Runs all sweeps in parallel and records how each ended. A sweep that fails or hangs neither stops nor delays the
 * others. It is recorded as failed and starts again with the next run. Returns true if all succeeded, with every item.
 * Never throws.
 */
export async function runSweeps(ctx: PoolContext, sweeps: Record<string, Sweep> = SWEEPS): Promise<boolean> {
  const runs = await Promise.all(Object.entries(sweeps).map(([name, sweep]) => runSweep(ctx, name, sweep)))
  await noteSweeps(
    ctx,
    runs.map(({ failed: _failed, ...run }) => run),
  )
  return runs.every(({ ok, failed }) => ok && !failed)
}

async function runSweep(ctx: PoolContext, name: string, sweep: Sweep): Promise<SweepRun & { failed: boolean }> {
  const ranAt = ctx.clock.now()
  let ok = true
  let failed = false
  try {
    const counts = await withinBudget(ctx, sweep)
    failed = "failed" in counts && counts.failed !== 0
    if (hasDone(counts)) ctx.log("info", `${name}.swept`, { ...counts })
  } catch (error) {
    ok = false
    ctx.log("error", `${name}.sweep_failed`, { error: describeError(error) })
  }
  return { name, ran_at: ranAt.toISOString(), duration_ms: ctx.clock.now().getTime() - ranAt.getTime(), ok, failed }
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
