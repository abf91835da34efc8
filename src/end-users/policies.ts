/** Limits of the erasure, which keep every statement and every call of the bucket small. Times are in milliseconds. */
export const ERASURE_POLICY = {
  /** The number of turns, and of their events, that one statement redacts. */
  turnsPerStatement: 200,
  eventsPerStatement: 20_000,
  /** The number of prefixes and objects that one round removes from the bucket. */
  objectsPerRound: 100,
  /** The number of rounds of each step, while the caller waits and in one run of the sweep. */
  roundsOfRequest: 5,
  roundsOfSweep: 40,
  /** After this time the bucket and the turns are searched a second time. No worker runs for that long. */
  checkAfterMs: 600_000,
  sweepBatch: 10,
  /** The number of turns in one page of an export, and the size of the page. */
  exportTurns: 20,
  exportBytes: 4 * 1024 * 1024,
} as const
