import { MICROS_PER_USD } from "../base/money.ts"

export const BOOKING_POLICY = {
  /** The most that one entry books: a mistyped amount should not become a balance. Credit micros. */
  maxMicros: 1_000_000 * MICROS_PER_USD,
  noteCharacters: 500,
} as const

/** The reconciliation (design section 6). Times in milliseconds. */
export const RECONCILIATION_POLICY = {
  everyMs: 3_600_000,
  /** A pass looks at what has moved since the last one; at all history so often, and behind a finding, but then at most daily. */
  allEveryMs: 7 * 86_400_000,
  allBehindFindingMs: 86_400_000,
  /** What ended before a pass by less is looked at by the next one again: longer than any statement, and than clocks differ. */
  overlapMs: 900_000,
  /** A run of the sweeper works on it for so long, then the next one goes on; a request of an operator waits less. */
  runMs: 20_000,
  requestMs: 8_000,
  /**
   * Rows that one statement looks at in each phase: in the very first pass, and at most. It adapts, so that one takes about a quarter
   * to one second; one that fails is tried again with half of them.
   */
  slices: {
    accounts: { first: 500, most: 4_000 },
    ledger: { first: 5_000, most: 50_000 },
    turns: { first: 2_000, most: 20_000 },
    counters: { first: 200, most: 20_000 },
  },
  fastMs: 250,
  slowMs: 1_000,
  /** A slice notes at most so many findings; a report shows at most so many. */
  sliceFindings: 500,
  shownFindings: 200,
  /** Nobody means to look at a turn that much later: leases, waits and publishes are minutes. */
  orphanedAfterMs: 3_600_000,
  keepDays: 90,
} as const
