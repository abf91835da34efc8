import { LIST_POLICY } from "../base/policies.ts"

/** CSV files of reports whose entries have days (docs/architecture/files.md). Times are in milliseconds. */
export const REPORT_FILE_POLICY = {
  /** A file with more rows is made by a callback. Below, the request answers with it. */
  rowsAtOnce: LIST_POLICY.days,
  /** The most rows of a file. */
  rows: 10_000_000,
  /** The rows of one part. It is one object of the bucket, of some 3 MB. */
  partRows: LIST_POLICY.days,
  /** The most files of an operator that have not expired. */
  perOperator: 20,
  /** How long a file is kept after it has ended. */
  keptMs: 24 * 3_600_000,
  /** After this time a callback leaves the rest to the next one. */
  runMs: 20_000,
  /** Longer than a part takes: its statements and its object. */
  leaseMs: 150_000,
  /** A file that is made and has no callback for this long has lost its message. */
  lostMs: 60_000,
  /** The claims without a new part after which a file fails. */
  tries: 5,
  /** The lost and the expired files that one sweep processes. */
  sweepBatch: 20,
} as const
