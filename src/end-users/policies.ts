/** How an end user is erased: in statements and calls of the bucket that each stay small. Times in milliseconds. */
export const ERASURE_POLICY = {
  /** Turns, and events of theirs, that one statement redacts. */
  turnsPerStatement: 200,
  eventsPerStatement: 20_000,
  /** Prefixes and objects that one round removes from the bucket. */
  objectsPerRound: 100,
  /** Rounds of each kind while the caller waits, and in one run of the sweeper. */
  roundsOfRequest: 5,
  roundsOfSweep: 40,
  /** So long after it was all gone the bucket and the turns are looked through once more: no worker lives that long. */
  checkAfterMs: 600_000,
  sweepBatch: 10,
  /** Turns of one page of an export, and its bytes. */
  exportTurns: 20,
  exportBytes: 4 * 1024 * 1024,
} as const
