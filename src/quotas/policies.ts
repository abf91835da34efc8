/** The numbers of caps (docs/architecture/quotas.md). */
export const QUOTA_POLICY = {
  /** A cap or a balance counts as reached if even a turn with a text of this length is refused. */
  shortTextBytes: 1000,
  /** How many days after their start the counters of days and windows are kept. A window has at most 31 days. */
  shortDays: 40,
  /** The same for the counters of months. */
  monthDays: 400,
  sweepBatch: 5000,
  sweepBatches: 20,
} as const
