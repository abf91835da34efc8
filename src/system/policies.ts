/** The limits of the checks of `GET /api/health`, and of alerts. */
export const HEALTH_POLICY = {
  /** The longest time of the check's own statement, in milliseconds. */
  databaseMs: 2_000,
  /** The cron runs every minute; a run that fails twice is a fault. */
  cronSeconds: 180,
  /** A sweep that has not succeeded for this long is failing. */
  sweepSeconds: 600,
  /** A turn that is ready, or a delivery that is due, is overdue after this time, in milliseconds. */
  overdueMs: 120_000,
  /** Every hour a reconciliation starts. On a large database it runs for several minutes. */
  reconciliationSeconds: 3 * 3_600,
  /** The most overdue turns and deliveries that are counted. */
  mostCounted: 1_000,
  /** For how long a call that was refused for a reason of our account, or has no price, fails the check, in ms. */
  refusedMs: 600_000,
  /** The operator is told of a failure that lasts this long, in milliseconds. One slow minute is no alert. */
  alertAfterMs: 60_000,
  /** How long a worker that tells an alert keeps others from telling it. */
  tellingMs: 45_000,
  /** The longest time without the sweep, in quarters of an hour, that it counts later. */
  quartersLate: 96,
  /** For how many days quarters of an hour are kept. */
  quarterDays: 31,
  /** The most turns of a quarter whose durations are read, newest first. */
  timedTurns: 10_000,
  /** How many due deliveries of one endpoint count for the backlog, so that a slow receiver does not hide others. */
  countedDeliveries: 1_000,
} as const
