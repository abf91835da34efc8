/** How the sweep of retention works (docs/architecture/retention.md). Times are in milliseconds. */
export const RETENTION_POLICY = {
  /** The most turns, and the most rows without a turn, that one statement looks at. */
  batch: 500,
  /** How long one run of the sweep works. The next run continues. */
  runMs: 20_000,
  /** A mark that was taken and not finished is taken again after this time: by the next run, after all others. */
  againMs: 30_000,
  /** The shortest time between two looks of a mark that has nothing due, and between two looks at data without turns. */
  pauseMs: 10 * 60_000,
  accountPauseMs: 3_600_000,
  /** The most objects that one run removes from the bucket. */
  objects: 1_000,
} as const
