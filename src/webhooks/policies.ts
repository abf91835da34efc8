import { listInWords, timeInWords } from "../base/in-words.ts"
/** The numbers of webhooks (docs/architecture/webhooks.md). Times in milliseconds. */
export const WEBHOOK_POLICY = {
  /** A later answer counts as no answer. */
  timeoutMs: 15_000,
  /** The waits before the second, third, … attempt, each ± `jitter` of itself. After the last one the delivery has failed. */
  retryAfterMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
  jitter: 0.2,
  /** The longest wait that a Retry-After can ask for. */
  longestRetryAfterMs: 86_400_000,
  /** An endpoint whose every attempt failed for this long is disabled. */
  disableAfterMs: 5 * 86_400_000,
  /** How long the old secret signs next to the new one. */
  rotationMs: 86_400_000,
  /** How many former secrets may sign at once. */
  mostFormerSecrets: 10,
  secretBytes: 32,
  /** How much of a receiver's answer is kept. */
  answerBytes: 1024,
  /** The number of slots in schema.sql. */
  maxEndpoints: 50,
  urlLength: 2048,
  /**
   * One run of a dispatcher: how many deliveries it claims at a time, how many requests it has open, and when it hands over to the next
   * run.
   */
  batch: 24,
  batchBytes: 4 * 1024 * 1024,
  concurrency: 6,
  runBudgetMs: 20_000,
  /** Longer than a run's last attempt can take. */
  leaseMs: 60_000,
  recordTries: 3,
  /** How many deliveries all runs of an endpoint may have claimed together, while it answers and while it does not. */
  inFlight: 60,
  inFlightFailing: 24,
  /** How many requests all accounts together send to one host: a minute's worth at once, and so many a second for long. */
  hostRate: { live: { perSecond: 1_000, burst: 60_000 }, test: { perSecond: 10, burst: 600 } },
  /** How many events an endpoint may be sent again within an hour: by replays, redeliveries and tests. */
  resendsAnHour: { live: 10_000, test: 1_000 },
  /** A retry within this time gets a wake of its own from the queue. For later ones the sweeper wakes. */
  ownWakeMs: 60_000,
  /** A wake that has not arrived by then is sent again. */
  rewakeMs: 60_000,
  sweepBatch: 1000,
  sweepBatches: 20,
  /** Pending deliveries that one statement gives up when their endpoint stops; the sweeper goes on. */
  stopBatch: 20_000,
  stopBatches: 20,
  /** Stopping endpoints that one run of the sweeper takes. */
  stopEndpoints: 50,
  /** By then, an event whose commit was under way when its endpoint stopped has been committed. */
  stopSettlesMs: 120_000,
  replayBatch: 1000,
  /** Attempts that a list shows for each delivery, the newest ones. */
  attemptsListed: 16,
  /** How many an event names of a list that can be long: the limits in src/teams/tell-shared.sql. */
  mostNamed: 20,
} as const

export const RETRY_TIMES = listInWords(WEBHOOK_POLICY.retryAfterMs.map(timeInWords))
