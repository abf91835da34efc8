import { MOST_SHOWN } from "../agent/shown-words.ts"
import { MICROS_PER_USD } from "../base/money.ts"

/** The numbers of the turn machine (docs/architecture/turns.md). Times in milliseconds, money in credit micros. */
export const TURN_POLICY = {
  defaultHold: 0.25 * MICROS_PER_USD,
  /** How many shards a busy account gets. Its balance must cover twice as many holds (src/wallets/wallet.sql). */
  walletShards: 64,
  /** A worker takes further steps of a turn for this long before it hands the turn over to the next callback. */
  runBudgetMs: 20_000,
  /** A model call that is silent for longer than this is cut. The catalog may set another limit for a model. */
  idleMs: 60_000,
  /** The limit for a call that receives only comments or events without text. Models can think for that long. */
  wordlessMs: 10 * 60_000,
  /** How often the lease is renewed while a model answers. Several renewals can fail before the lease expires. */
  renewLeaseMs: 25_000,
  leaseMs: 150_000,
  /**
   * How often a long model call checks whether its turn was cancelled, and how old a shared answer may be. A call sees
   * a cancel within `cancelLookMs` and `cancelFreshMs` together.
   */
  cancelLookMs: 1_200,
  cancelFreshMs: 500,
  /** How many turns one statement checks, for cancels and for readers. */
  marksAtOnce: 500,
  /** When a turn asks again while another turn's statement is under way, and how long it relies on that statement. */
  markAgainMs: 100,
  markPatienceMs: 1_000,
  /**
   * The longest time that one worker keeps a turn. Then a running call is cut, and the next callback continues from its
   * text. QStash gives a delivery 15 minutes on its smallest plan; Cloudflare sets no limit while QStash waits.
   */
  workerMs: 14 * 60_000,
  /** The pauses before a commit without an answer is repeated. After `commitMs` it is not repeated any more. */
  commitPausesMs: [0, 250, 500, 1_000, 2_000, 4_000],
  commitMs: 30_000,
  /** After this many claims in a row without a committed step the turn counts as lost. */
  maxAttempts: 5,
  /** After this many "unavailable" in a row the turn fails. The n-th wait is 2^n s, or what the provider asks for. */
  maxModelFailures: 5,
  /** The most characters of a provider's message about a failure that owners see. */
  providerMessageLength: MOST_SHOWN,
  modelBackoffMs: 2_000,
  modelBackoffLimitMs: 60_000,
  /** The pauses before a turn whose run failed is run again, by the number of failures since its last committed step. */
  brokenMs: [1_000, 5_000, 20_000, 60_000],
  /** A turn that was not started within this time is cancelled. */
  queueLimitMs: 3_600_000,
  /** The Retry-After of a test turn that is refused because too many are open. */
  testTurnsAgainSeconds: 5,
  maxSteps: 16,
  timeoutSeconds: 300,
  historyTurns: 20,
  /** How many earlier turns of the conversation are searched for history, whatever state they ended in. */
  historyWithin: 1000,
  historyTokens: 100_000,
  /** How long providers cache a prompt after its last use, and how long at the price of an hour (Anthropic). */
  cacheMs: 5 * 60_000,
  cacheHourMs: 3_600_000,
  /** The longest prompt_cache_key (OpenAI). */
  cacheKeyChars: 64,
  /** How many bytes of history count as a token. */
  bytesPerToken: 4,
  /**
   * A worker starts tool calls within this time after the statement that allowed them, or asks again. A cancel is
   * acknowledged when this time and `clockSkewMs` have passed, so no call starts after it.
   */
  startCallsWithinMs: 500,
  startTries: 5,
  clockSkewMs: 250,
  /** The limit of a turn's model calls, over all its agents. */
  maxModelCalls: 256,
  /** The limit of a turn's transcript as JSON: the output of its model calls and tools so far. */
  transcriptBytes: 3 * 1024 * 1024,
  /** The limits of a provider's stream: of a whole answer, of one of its lines, and of an error. */
  modelBytes: 32 * 1024 * 1024,
  modelLineBytes: 4 * 1024 * 1024,
  modelErrorBytes: 256 * 1024,
  /** The limit of the history that a claim reads, as JSON. */
  historyBytes: 2 * 1024 * 1024,
  /** How often text is written to the log while a reader follows the turn. */
  streamFlushMs: 150,
  /** After this many writes the pause is `slowFlushMs`: readers look once a second, and long texts take many minutes. */
  streamFlushes: 14,
  slowFlushMs: 500,
  /** The pauses between checks for a reader. The last one repeats. */
  streamLookMs: [400, 600, 1_000, 2_000, 4_000, 8_000],
  /** How old a shared answer about a reader may be. */
  readerFreshMs: 200,
  /** An attached text file is shown to the model up to this size; read_file reads the rest. */
  attachedTextBytes: 100 * 1024,
  attachedObjectBytes: 15 * 1024 * 1024,
  /** A page of turns ends at this size, counted as JSON: an answer of the database has at most 10 MiB. */
  answerBytes: 4 * 1024 * 1024,
  /** A call that cannot pay for this many output tokens is not made: the hold grows, or the turn ends. */
  minOutputTokens: 16,
  sweepBatch: 1_000,
  sweepBatches: 20,
  /** The most turns that one statement of an ending cancels, so that others do not wait long for its locks. */
  cancelBatch: 100,
} as const

/** The limits of a turn's messages (src/turns/messages.ts): all of them as JSON, and the body of their request. */
export const MESSAGE_POLICY = {
  bytes: 2 * 1024 * 1024,
  bodyBytes: 3 * 1024 * 1024,
  messages: 2_000,
  files: 20,
  /** The parts of a message, and the calls of one. */
  parts: 128,
  /** Tools of the caller: how many, all of them as JSON, and the tokens of an exchange that results continue. */
  tools: 128,
  toolBytes: 256 * 1024,
  exchangeTokens: 4 * 1024 * 1024,
  /** How much of the user's last text is the `text` of the turn. */
  textBytes: 100_000,
} as const

/** The numbers of runners (docs/architecture/runners.md). Times in milliseconds. */
export const RUNNER_POLICY = {
  /** How many turns a runner carries. The last two places are for an account and an end user without a running turn. */
  carries: 64,
  /** The most turns that one look takes, so that its answer stays small. */
  group: 16,
  /** A look takes no more turns once its answer has this size as JSON. Neon answers at most 10 MiB. */
  groupBytes: 2 * 1024 * 1024,
  /** How many statements of a runner settle or commit at the same time. One that waits for a lock delays few turns. */
  commits: 2,
  /** The most calls of models and tools that wait for a first byte. A worker can have six such connections. */
  waitingCalls: 5,
  /** From this many waiting calls on, a runner takes no more turns. */
  busyCalls: 3,
  /**
   * The pause between two looks while turns come in, and how many looks without a new turn end that. `busy`: the runner
   * has turns; `idle`: it has none.
   */
  pauseMs: { busy: 10, idle: 4 },
  vainLooks: { busy: 20, idle: 4 },
  /** After this many looks in a row that skipped locked turns, these turns are left to the next runner. */
  skips: 5,
  /** Turns count as coming in while this many were started in the isolate within `busyMs`. */
  busyTurns: 10,
  busyMs: 1_000,
  /** After a look of the runner that stays, no other runner of its isolate stays for this long. */
  staysMs: 100,
  /** How often a runner looks while its turns run and it has not promised to look. */
  lookMs: 1_000,
  /** How long the acceptance of a turn relies on a runner that has promised to look again. */
  promiseMs: 2_000,
  /** A runner that was silent for this long counts as dead. */
  deadMs: 30_000,
  /** After this many calls or this time, a runner takes no more turns. It has 10,000 subrequests and 15 minutes. */
  takesCalls: 5_000,
  takesMs: 4 * 60_000,
} as const

/** A turn that the request that sent it runs (docs/decisions/0036-run-in-place.md). Times in milliseconds. */
export const IN_PLACE_POLICY = {
  /** The most such turns of an isolate at once. A run that was cut off counts for `goneMs` after its worker's time. */
  most: 256,
  goneMs: 60_000,
  /**
   * Cloudflare stops an invocation 30 s after its client has left. So a model call is then cut after `cutMs`, and after
   * `lastMs` the run gives its turn away, whatever it does.
   */
  cutMs: 20_000,
  lastMs: 27_000,
  /**
   * Turns of an account that were accepted at the same moment start one after another. A request looks whether its
   * turn has started, less often if more turns are ahead. If none could start in `vainStarts` statements and `vainMs`,
   * a runner takes them. A statement or request that was silent for `startLostMs` is lost.
   */
  startPauseMs: { least: 10, each: 2, most: 200 },
  vainStarts: 5,
  vainMs: 250,
  startLostMs: 5_000,
  /** An account with a ready turn that is older than this has a queue, which runners serve. */
  queuedMs: 10_000,
  /** How long the worker of the request waits for the other worker's first answer before it accepts the turn itself. */
  answerMs: 10_000,
  /** How many messages of a run wait for its reader. The log has the others. */
  waitingMessages: 1_000,
  /** A sign of life between the two workers: a reader that is silent for half a minute counts as gone. */
  lifeMs: 10_000,
} as const

/** Turns that wait (docs/architecture/waiting.md). Times in milliseconds. */
export const TURN_WAIT_POLICY = {
  /** When an account is tried again whose running turns may release credit. */
  againMs: 60_000,
  /** When an account is tried again at the latest, although no limit was raised. */
  tryMs: 3_600_000,
  /** How many turns one statement of the sweep tries. */
  wakes: 25,
  /** How many accounts one look of the sweep finds, and how many turns one statement expires. */
  accounts: 100,
  expires: 100,
  /** How long a worker of an owner has a call before another one may take it, and how many calls it takes at once. */
  takenMs: 60_000,
  takes: 10,
  /** The longest message of a decision. */
  messageCharacters: 2_000,
} as const

/** How often waiting requests (`?wait=`, event streams) look at their turn. Times in milliseconds. */
export const LOOK_POLICY = {
  /** For this long a waiter looks often. After that, one look a second serves all waiters of an isolate. */
  eagerMs: 2_000,
  pauseMs: 1_000,
  /** A waiter without news for this long looks only every `quietPauseMs`. */
  quietMs: 60_000,
  quietPauseMs: 3_000,
  /** For this long after an event, a reader makes its own looks. */
  speaksMs: 5_000,
  /** The most turns that one shared look reads. */
  atOnce: 500,
  /**
   * The most long polls and streams that a key or session can have open in an isolate, how many of them look often at
   * first, and the Retry-After of a refused one. A wait that was not seen for `goneMs` counts as gone.
   */
  perCaller: 500,
  eagerPerCaller: 64,
  retryAfterSeconds: 5,
  goneMs: 60_000,
  /** The shortest pauses of waits. End: a plain turn takes about 10 ms. Events: text is written every 150 ms. */
  leastMs: { end: 5, events: 100 },
  /** How long a waiter relies on another one's look, and the pause between two checks for its result. */
  patienceMs: 3_000,
  againMs: 50,
  /** The most turns whose last look an isolate remembers. */
  sharedTurns: 2_000,
} as const

/** How a reader follows a turn's events. Times in milliseconds. */
export const STREAM_POLICY = {
  page: 200,
  heartbeatMs: 15_000,
  /** A reader counts as gone this long after its last look. Its mark is renewed when less than `renewMs` is left. */
  readerMs: 20_000,
  renewMs: 12_000,
  /** How often a reader's own right to read is checked, even if shared looks show nothing new. */
  ownLookMs: 10_000,
  /** After this many looks the stream ends, and the reader reconnects with Last-Event-ID. */
  maxLooks: 800,
} as const

/** Text that a run pushes to readers (docs/architecture/following.md). Times in milliseconds. */
export const PUSH_POLICY = {
  /** The first piece of a call is sent at once. Later text is gathered for this long: browsers cannot show each token. */
  gatherMs: 40,
  /** A call that still writes so long after its first piece listens for readers that come later (ReaderBell). */
  bellMs: 30,
  /** The longest piece, and the most text that waits to be sent. Longer text reaches readers through the log. */
  pieceChars: 8_000,
  waitingChars: 64_000,
  /** How many messages of a runner's turns one request sends. */
  atOnce: 32,
  /** A write of the log while readers listen: the log is then only for those who come back, or lost a piece. */
  flushMs: 1_000,
  /** How far pieces may be ahead of the log, and the pieces that a reader keeps until the log explains them. */
  aheadChars: 65_536,
  heldChars: 65_536,
  heldPieces: 1_000,
  /** The pause between the looks of a reader that gets pieces. */
  lookMs: 2_000,
  /** The pauses between looks for an event that a piece needs: from, to. */
  missingMs: { least: 50, most: 1_000 },
  /** After this many messages a reader only looks: each takes a tenth of a millisecond of a request's CPU limit. */
  mostMessages: 40_000,
  /** From this many calls of its invocation on, a run pushes nothing: Cloudflare allows 10,000. */
  mostCalls: 6_000,
  /** When a reader without a subscription tries again. */
  againMs: 5_000,
} as const

/** Tokens with which a browser may watch a turn. Times in seconds. */
export const WATCH_POLICY = {
  seconds: 300,
  mostSeconds: 900,
  maxChars: 1_000,
} as const

/** The sweep cancels turns that were queued before this moment and have not started. */
export const queueLimit = (now: Date) => new Date(now.getTime() - TURN_POLICY.queueLimitMs)

/** The explorer of turns. Times in milliseconds; `usualMs` is how far back a list goes if it names no start. */
export const EXPLORER_POLICY = {
  usualMs: 30 * 86_400_000,
  /** The same for the calls of a provider, which are read by time for all accounts, and the longest range of these. */
  callsMs: { usual: 86_400_000, most: 7 * 86_400_000 },
  /** How many turns a search for a text reads, newest first. */
  searched: 2_000,
  /** The length of an excerpt of a text, in characters. find_turns cuts it. */
  excerpt: 300,
  mostValues: 10, // reasons and models in the figures
  /** How many events and failed attempts a trace has at most, and how many steps an operator sees. */
  traceEvents: 2_000,
  traceAttempts: 100,
  adminSteps: 200,
} as const
