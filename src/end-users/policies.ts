/** Bounds of erasing, so that every statement and every call of the bucket stays small. Times in milliseconds. */
export const ERASURE_POLICY = {
  /** Turns, and their events, that one statement redacts. */
  turnsPerStatement: 200,
  eventsPerStatement: 20_000,
  /** Prefixes and objects that one round removes from the bucket. */
  objectsPerRound: 100,
  /** Rounds of each step while the caller waits, and in one run of the sweep. */
  roundsOfRequest: 5,
  roundsOfSweep: 40,
  /** After this time, the bucket and the turns are searched once more. No worker lives that long. */
  checkAfterMs: 600_000,
  sweepBatch: 10,
  /** Turns of one page of an export, and its bytes. */
  exportTurns: 20,
  exportBytes: 4 * 1024 * 1024,
} as const
