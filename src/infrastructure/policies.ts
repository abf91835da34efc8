/** Retention of failures and container calls. */
export const INFRASTRUCTURE_POLICY = {
  /** The number of days for which failures and billed container calls are kept. */
  keepDays: 400,
  /** The number of rows of each table that one statement deletes, and of statements in one run of the sweep. */
  sweepBatch: 5_000,
  sweepBatches: 10,
} as const
