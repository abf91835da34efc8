import { MICROS_PER_USD } from "../base/money.ts"

/** The numbers of the turn machine (docs/architecture/turns.md). Times in milliseconds, money in credit micros. */
export const TURN_POLICY = {
  defaultHold: 0.25 * MICROS_PER_USD,
  /** The number of shards of an account whose turns wait for each other. It needs twice as many free holds (src/wallets/wallet.sql). */
  walletShards: 64,
  /** How long a worker takes further steps itself before it hands the turn over to the next callback. */
  runBudgetMs: 20_000,
  /** A model call that has been silent for longer than this is ended; the catalog may set another limit for a model. */
  idleMs: 60_000,
  /** The same for one whose server only shows that it lives, by comments or events without a word: models think for so long. */
  wordlessMs: 10 * 60_000,
  /** How often the lease is renewed while a model answers. Several renewals may fail before another worker takes the turn. */
  renewLeaseMs: 25_000,
  leaseMs: 150_000,
  /**
   * How often a model call asks whether its turn was cancelled, from this time on; how old another call's answer may be; and for how many
   * turns one statement asks. A cancel is seen within the first two together.
   */
  cancelLookMs: 1_200,
  cancelFreshMs: 500,
  cancelsAtOnce: 500,
  /**
   * The longest that one worker keeps a turn. Then a running call is cut, and the next callback goes on from there. QStash gives a
   * delivery 15 minutes on its smallest plan; Cloudflare sets no limit while QStash waits.
   */
  workerMs: 14 * 60_000,
  /** The pauses before a commit without an answer is repeated, as long as commitMs have not passed. */
  commitPausesMs: [0, 250, 500, 1_000, 2_000, 4_000],
  commitMs: 30_000,
  /** After this many claims in a row without a committed step the turn counts as lost. */
  maxAttempts: 5,
  /** After this many "unavailable" in a row the turn fails. The n-th wait is 2^n s, or what the provider asks for. */
  maxModelFailures: 5,
  modelBackoffMs: 2_000,
  modelBackoffLimitMs: 60_000,
  /** The pauses before a turn whose run broke is run again, by how often it broke since its last committed step. */
  brokenMs: [1_000, 5_000, 20_000, 60_000],
  /** A turn that was not started within this time is cancelled. */
  queueLimitMs: 3_600_000,
  /** When a test turn that was refused since too many are open may be sent again: Retry-After. */
  testTurnsAgainSeconds: 5,
  maxSteps: 16,
  timeoutSeconds: 300,
  historyTurns: 20,
  /** History is taken from this many earlier turns of the conversation, in whatever state they ended. */
  historyWithin: 1000,
  historyTokens: 100_000,
  /** How long providers keep a prompt in their cache after its last use, and how long at the price of an hour (Anthropic). */
  cacheMs: 5 * 60_000,
  cacheHourMs: 3_600_000,
  /** The longest prompt_cache_key (OpenAI). */
  cacheKeyChars: 64,
  /** How many bytes of history count as a token. */
  bytesPerToken: 4,
  /**
   * A worker starts tool calls within this time after the statement that allowed them, or asks again. A cancel is acknowledged when
   * this time and `clockSkewMs` have passed, so no call starts after it.
   */
  startCallsWithinMs: 500,
  startTries: 5,
  clockSkewMs: 250,
  /** The limit of a turn's model calls, over all its agents. */
  maxModelCalls: 256,
  /** The limit of a turn's transcript as JSON: what its model calls and tools have said so far. */
  transcriptBytes: 3 * 1024 * 1024,
  /** The limits of what a provider streams for one answer: in all, in one of its lines, and of an error. */
  modelBytes: 32 * 1024 * 1024,
  modelLineBytes: 4 * 1024 * 1024,
  modelErrorBytes: 256 * 1024,
  /** The limit of the history that a claim reads, as JSON. */
  historyBytes: 2 * 1024 * 1024,
  /** How often text is written for a reader, and how soon it is checked whether there is one. */
  streamFlushMs: 150,
  /** How often after this many flushes: readers look once a second then (`LOOK_POLICY`), and a text may take a quarter of an hour. */
  streamFlushes: 14,
  slowFlushMs: 500,
  streamLookMs: [400, 1_600, 4_000, 8_000],
  /** An attached text file is shown to the model up to this size; read_file reads the rest. */
  attachedTextBytes: 100 * 1024,
  attachedObjectBytes: 15 * 1024 * 1024,
  /** A page of turns ends at this size, counted as JSON: an answer of the database has at most 10 MiB. */
  answerBytes: 4 * 1024 * 1024,
  /** A call that cannot pay for this many output tokens is not made: the hold grows, or the turn ends. */
  minOutputTokens: 16,
  sweepBatch: 1_000,
  sweepBatches: 20,
  /** Turns that one statement of an ending cancels, so others do not wait long for its locks. */
  cancelBatch: 100,
} as const

/** How a runner takes and carries turns. Times in milliseconds. */
export const RUNNER_POLICY = {
  /** How many turns it carries. The last of these places is for an account of which none is running, the one before for such an end user. */
  carries: 64,
  /** How many it takes at once, so that a group's answer stays small. */
  group: 16,
  /** From this size on of what a look has found, as JSON, it takes no more: Neon answers 10 MiB at most. */
  groupBytes: 2 * 1024 * 1024,
  /** How many statements end or commit turns at a time, each with all that are ready: one that waits for a lock holds up few others. */
  commits: 2,
  /** How many calls of models and tools wait for the first byte of their answers; a worker may have six connections that do. */
  waitingCalls: 5,
  /** From so many on it takes no more turns. */
  busyCalls: 3,
  /** The pause between two looks while turns come in, and how many looks in vain end that: with turns under way, and without. */
  pauseMs: { busy: 10, idle: 4 },
  vainLooks: { busy: 20, idle: 4 },
  /** How many looks in a row pass over what another transaction has, before it is left to the next runner. */
  skips: 5,
  /** Whether turns come in: so many have begun in this isolate within this time. */
  busyTurns: 10,
  busyMs: 1_000,
  /** For so long after a look of the one that stays, no other runner of its isolate does. */
  staysMs: 100,
  /** How often it looks while its turns run and others are not to rely on it. */
  lookMs: 1_000,
  /** For so long who accepts a turn relies on a runner that said it would look again. */
  promiseMs: 2_000,
  /** One that was not heard of for so long is dead. */
  deadMs: 30_000,
  /** After so many calls, or so long, it takes no turns any more: a worker has 10,000 subrequests, and QStash waits for 15 minutes. */
  takesCalls: 5_000,
  takesMs: 4 * 60_000,
} as const

/** How often a turn is looked at for those who wait for it (`?wait=`, event streams). Times in milliseconds. */
export const LOOK_POLICY = {
  /** Until then a waiter looks more often; from then on there is one look a second for all waiters of an isolate. */
  eagerMs: 2_000,
  pauseMs: 1_000,
  /** One for whom nothing new has come for so long is content with a look in so much time. */
  quietMs: 60_000,
  quietPauseMs: 3_000,
  /** So long after an event its reader looks itself. */
  speaksMs: 5_000,
  /** Turns that one look for all looks at. */
  atOnce: 500,
  /**
   * Long polls and streams that a key or session may have open in an isolate, the first of which look more often in their first seconds,
   * and when a caller that is over it may try again. One that was not seen for `goneMs` counts as gone.
   */
  perCaller: 500,
  eagerPerCaller: 64,
  retryAfterSeconds: 5,
  goneMs: 60_000,
  /** The shortest pause for an end: a plain turn takes some ten. And for events: text is written every 150. */
  leastMs: { end: 5, events: 100 },
  /** Another caller's look that takes longer than this is no longer waited for, and how soon its answer is looked for again. */
  patienceMs: 3_000,
  againMs: 50,
  /** Turns whose last look an isolate remembers. */
  sharedTurns: 2_000,
} as const

/** How a reader follows a turn's events. Times in milliseconds. */
export const STREAM_POLICY = {
  page: 200,
  heartbeatMs: 15_000,
  /** A reader counts as gone this long after its last look; it is noted again when less than `renewMs` of that is left. */
  readerMs: 20_000,
  renewMs: 12_000,
  /** How often a reader's own right to read is checked, whatever others have seen. */
  ownLookMs: 10_000,
  /** After this many looks the stream ends, and the reader reconnects with Last-Event-ID. */
  maxLooks: 800,
} as const

/** A turn that was queued before this has waited too long: the sweeper cancels it. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)
