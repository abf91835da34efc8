/** How rollups are maintained. Times are in milliseconds. */
export const ANALYTICS_POLICY = {
  /** The queued rows that one statement moves. `rollBatches`: the most statements of one sweep. */
  rollBatch: 5_000,
  rollBatches: 200,
  /** After this time, a sweep leaves the rest to the next sweep. */
  runMs: 20_000,
  /** A day is closed this long after its end. A row that comes later opens it again. */
  closeAfterMs: 60_000,
  /** The longest window of active accounts (docs/contract.md), in days. */
  mostWindowDays: 90,
} as const

/** Bounds of reports where docs/contract.md sets none. */
export const REPORT_POLICY = {
  /** The longest range of hourly costs by space, in days. Every year fits. */
  spaceHoursDays: 366,
  /** The most pairs of a provider and a space that one statement reads. */
  pairs: 50_000,
} as const
