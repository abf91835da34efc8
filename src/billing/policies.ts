import { MICROS_PER_USD } from "../base/money.ts"

export const BOOKING_POLICY = {
  /** The largest amount of one entry, in credit micros, so a mistyped amount does not become a balance. */
  maxMicros: 1_000_000 * MICROS_PER_USD,
  noteCharacters: 500,
} as const

/** The reconciliation (docs/architecture/reconciliation.md). Times in milliseconds. */
export const RECONCILIATION_POLICY = {
  everyMs: 3_600_000,
  /**
   * A pass checks what has moved since the last one. A pass over all history begins this often; after a finding it begins sooner, but at
   * most daily.
   */
  allEveryMs: 7 * 86_400_000,
  allBehindFindingMs: 86_400_000,
  /** A pass also checks what ended this long before the last one: longer than any statement takes, and than clocks differ. */
  overlapMs: 900_000,
  /** How long one run of the sweep works on it before the next run goes on; an operator's request waits less. */
  runMs: 20_000,
  requestMs: 8_000,
  /**
   * Rows that one statement reads in each phase: in the very first pass, and at most. The number adapts so that a statement takes between
   * a quarter of a second and a second; one that fails is repeated with half of them.
   */
  slices: {
    accounts: { first: 500, most: 4_000 },
    ledger: { first: 5_000, most: 50_000 },
    turns: { first: 2_000, most: 20_000 },
    counters: { first: 200, most: 20_000 },
    // Days.
    rollups: { first: 4, most: 40 },
  },
  fastMs: 250,
  slowMs: 1_000,
  /** The most findings that a slice notes, and that a report shows. */
  sliceFindings: 500,
  shownFindings: 200,
  /** A turn whose `wake_at` is this far ahead is orphaned: leases, waits and publishes take minutes. */
  orphanedAfterMs: 3_600_000,
  keepDays: 90,
} as const

/** Billing containers and storage. Times in milliseconds. */
export const INFRA_POLICY = {
  /** How many accounts one statement bills, and so how long a wallet may be locked: some 20 ms. */
  accountsPerStatement: 10,
  /** The same of a dry run, which locks nothing. */
  quotedPerStatement: 200,
  /** How long one request works before the next one goes on. */
  requestMs: 8_000,
  /** How many bills an answer lists. */
  shownBills: 200,
} as const
