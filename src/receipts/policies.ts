/** Statements and signed documents (src/receipts/). Times are in milliseconds. */
export const RECEIPT_POLICY = {
  /** A month is settled this long after its end. It is longer than any statement takes, and longer than clocks differ. */
  settlesMs: 15 * 60_000,
  /** The receipts that one statement reads, and the pages that a request reads before it leaves the rest to the sweep. */
  page: 200,
  requestPages: 5,
  /** Statements that the sweep reads together, and the time after which it starts no further page. */
  atOnce: 4,
  sweepMs: 30_000,
  /** How long a client may keep the public keys. */
  keysSeconds: 3_600,
} as const

/** The most characters of an account's billing details, and the lines of its address. */
export const BILLING_DETAILS_POLICY = {
  company: 200,
  address: 500,
  lines: 8,
  taxNumber: 64,
} as const
