import { MICROS_PER_USD } from "../base/money.ts"

/** The numbers of the turn machine (design sections 3, 5, 6). Times in milliseconds, money in credit micros. */
export const TURN_POLICY = {
  defaultHold: 0.25 * MICROS_PER_USD,
  /** An account whose turns wait for each other gets so many shards, once it has twice this many holds left (src/billing/wallet.sql). */
  walletShards: 64,
  /** A worker takes the next step itself until so much time has gone; then it hands over to the next callback. */
  runBudgetMs: 20_000,
  /** A model call in which nothing has come for longer than this has ended; the catalog may say otherwise for a model. */
  idleMs: 60_000,
  /** A lease is renewed so often while a model answers: several renewals may fail before another worker takes the turn. */
  renewLeaseMs: 25_000,
  leaseMs: 150_000,
  /**
   * So long one worker has a turn: then a call under way is cut, and the next callback goes on from there. QStash gives a
   * delivery 15 minutes on its smallest plan; Cloudflare sets no limit while QStash waits.
   */
  workerMs: 14 * 60_000,
  /** A commit that the database did not answer is repeated after these pauses, unless it has taken longer than commitMs. */
  commitPausesMs: [0, 250, 500, 1_000, 2_000, 4_000],
  commitMs: 30_000,
  /** Claims in a row without a committed step, before the turn counts as lost. */
  maxAttempts: 5,
  /** Answers "unavailable" in a row, before the turn fails. The n-th wait is 2^n s, or what the provider asks for. */
  maxModelFailures: 5,
  modelBackoffMs: 2_000,
  modelBackoffLimitMs: 60_000,
  /** A published callback that has not arrived by then is published again. */
  republishMs: 60_000,
  /** A turn that nobody started within this time is cancelled. */
  queueLimitMs: 3_600_000,
  maxSteps: 16,
  timeoutSeconds: 300,
  historyTurns: 20,
  /** Earlier turns are looked for among so many of its conversation, whatever became of them. */
  historyWithin: 1000,
  historyTokens: 100_000,
  /** How history is counted before a model has seen it. */
  bytesPerToken: 4,
  /**
   * A worker starts tool calls so soon after the statement that allowed them, or asks again; a cancel is acknowledged when
   * that time is over (and `clockSkewMs` more), so that none starts behind it.
   */
  startCallsWithinMs: 500,
  clockSkewMs: 250,
  /** Model calls of a turn over all its agents. */
  maxModelCalls: 256,
  /** The transcript of a turn, as it travels: what its model calls and tools have said so far. */
  transcriptBytes: 3 * 1024 * 1024,
  /** The history that a claim reads beside it. */
  historyBytes: 2 * 1024 * 1024,
  /** How often text is written for somebody who reads along, and how soon it is looked whether anybody does. */
  streamFlushMs: 150,
  /** The same after so many flushes: a worker has 10,000 calls, and a text may take a quarter of an hour. */
  streamFlushes: 200,
  slowFlushMs: 600,
  streamLookMs: [400, 1_600, 4_000, 8_000],
  /** A text file that was attached is shown to the model up to here; the rest is for read_file. */
  attachedTextBytes: 100 * 1024,
  attachedObjectBytes: 20 * 1024 * 1024,
  /** An answer of the database has at most 10 MiB: a page of turns ends here, counted as JSON. */
  answerBytes: 4 * 1024 * 1024,
  /** An answer shorter than this many tokens is not worth a call: the hold grows or the turn ends. */
  minOutputTokens: 16,
  sweepBatch: 200,
  sweepBatches: 20,
  /** Turns that one statement cancels when all of a kind are to end, so that others wait for no long one; the sweeper goes on. */
  cancelBatch: 100,
  cancelPublishes: 60,
} as const

/** How a reader follows a turn's events. Times in milliseconds. */
export const STREAM_POLICY = {
  page: 200,
  leastPauseMs: 100,
  mostPauseMs: 1_000,
  heartbeatMs: 15_000,
  /** A reader counts as gone so long after its last look. */
  readerMs: 20_000,
  /** After so many looks the stream ends and the reader comes again with Last-Event-ID. */
  maxLooks: 800,
} as const
