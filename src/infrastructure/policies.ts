/** Containers and what fails beside them. */
export const INFRASTRUCTURE_POLICY = {
  /** Failures are kept for so many days, and so are the times of containers' calls once they are billed. */
  keepDays: 400,
  /** So many rows of each are forgotten in one statement, and so many statements are made in one run of the sweep. */
  sweepBatch: 5_000,
  sweepBatches: 10,
} as const
