import { MICROS_PER_USD } from "../base/money.ts"

export const BOOKING_POLICY = {
  /**
   * The largest amount of one entry, in credit micros. Larger
   * amounts are rejected, because they are probably mistyped.
   */
  maxMicros: 1_000_000 * MICROS_PER_USD,
  noteCharacters: 500,
} as const

export const REFUND_POLICY = {
  /** Requests of one account for refunds, before a decision about them. */
  openRequests: 100,
} as const

/** Reconciliation (docs/architecture/reconciliation.md). Times are in milliseconds. */
export const RECONCILIATION_POLICY = {
  everyMs: 3_600_000,
  /**
   * An hourly pass checks what changed since the previous pass. A pass over all
   * history starts this often. After a finding it starts sooner, but at most daily.
   */
  allEveryMs: 7 * 86_400_000,
  allBehindFindingMs: 86_400_000,
  /**
   * A pass also checks what ended this long before the previous pass. The
   * overlap is longer than any statement takes, and longer than clocks differ.
   */
  overlapMs: 900_000,
  /**
   * How long one run of the sweep works on a pass before the next run
   * continues it. `requestMs`: the same for a request of an admin.
   */
  runMs: 20_000,
  requestMs: 8_000,
  /**
   * Rows that one statement reads in each phase: `first` in the very first pass,
   * and at most `most`. The number adapts so that a statement takes between 250
   * ms and a second. A failed statement is retried with half as many.
   */
  slices: {
    accounts: { first: 500, most: 4_000 },
    ledger: { first: 5_000, most: 50_000 },
    turns: { first: 2_000, most: 20_000 },
    counters: { first: 200, most: 20_000 },
    end_users: { first: 500, most: 5_000 },
    // The rows of this phase are days.
    rollups: { first: 4, most: 40 },
  },
  fastMs: 250,
  slowMs: 1_000,
  /** The maximum number of findings that a slice records, and that a report shows. */
  sliceFindings: 500,
  shownFindings: 200,
  /**
   * A turn is orphaned if its `wake_at` is further ahead than
   * this, because leases, waits and publishes take only minutes.
   */
  orphanedAfterMs: 3_600_000,
  keepDays: 90,
} as const

/** Billing of containers and storage. Times are in milliseconds. */
export const INFRA_POLICY = {
  /** Accounts per statement. This number bounds how long a wallet is locked: about 20 ms. */
  accountsPerStatement: 10,
  /** Accounts per statement of a dry run, which locks nothing. */
  quotedPerStatement: 200,
  /** How long one request works. The next request continues the run. */
  requestMs: 8_000,
  /** The maximum number of bills in a response. */
  shownBills: 200,
} as const

/** The export of ledgers as events (src/billing/export-ledger.ts). Times are in milliseconds. */
export const EXPORT_POLICY = {
  /** Ledger rows per statement, and accounts that the sweep processes together. */
  batch: 500,
  accounts: 50,
  /** After this time, a sweep starts no further statement. */
  sweepMs: 30_000,
  /** An hour is closed this long after its end. A row that comes later comes into the next open hour. */
  closeAfterMs: 5 * 60_000,
} as const

/** Usage by own dimensions: the registered keys of metadata, and the values that a report shows. */
export const USAGE_KEY_POLICY = { mostKeys: 10, mostValues: 1_000 } as const
