/** How the rollups are kept. Times in milliseconds. */
export const ANALYTICS_POLICY = {
  /** Queued rows that one statement moves, and statements of one sweep. */
  rollBatch: 5_000,
  rollBatches: 200,
  /** After so long a sweep leaves the rest to the next one. */
  runMs: 20_000,
  /** A day is closed this long after its end: what comes later opens it again. */
  closeAfterMs: 60_000,
  /** The longest window of active accounts (docs/contract.md), in days. */
  mostWindowDays: 90,
} as const

/** How much a report shows where docs/contract.md sets no bound. */
export const REPORT_POLICY = {
  /** The longest range of hourly costs by space, in days: any year. */
  spaceHoursDays: 366,
  /** Pairs of a provider and a space that one statement reads. */
  pairs: 50_000,
} as const
