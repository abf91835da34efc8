import { listInWords, timeInWords } from "../base/in-words.ts"
/** The policies of webhooks (docs/architecture/webhooks.md). Times are in milliseconds. */
export const WEBHOOK_POLICY = {
  /** The time limit of a response. A later one counts as none. */
  timeoutMs: 15_000,
  /**
   * The waits before the second, third, … attempt, each ± `jitter` of itself. After the last
   * attempt the delivery has failed.
   */
  retryAfterMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
  jitter: 0.2,
  /** The longest wait that Retry-After can request. */
  longestRetryAfterMs: 86_400_000,
  /** An endpoint is disabled if every attempt failed for this long. */
  disableAfterMs: 5 * 86_400_000,
  /** How long a former secret signs together with the new one. */
  rotationMs: 86_400_000,
  /** The most former secrets that sign at once. */
  mostFormerSecrets: 10,
  secretBytes: 32,
  /** How many bytes of a receiver's response are kept. */
  answerBytes: 1024,
  /** The number of slots in schema.sql. */
  maxEndpoints: 50,
  urlLength: 2048,
  /**
   * One run of a dispatcher: deliveries per claim, concurrent requests, and the time after which it
   * wakes the next run.
   */
  batch: 24,
  batchBytes: 4 * 1024 * 1024,
  concurrency: 6,
  runBudgetMs: 20_000,
  /** Longer than a run's last attempt can take. */
  leaseMs: 60_000,
  recordTries: 3,
  /** The most deliveries that all runs of an endpoint hold together, while it responds and while it fails. */
  inFlight: 60,
  inFlightFailing: 24,
  /** The most requests to one host over all accounts: per second, with a burst of one minute's requests. */
  hostRate: { live: { perSecond: 1_000, burst: 60_000 }, test: { perSecond: 10, burst: 600 } },
  /** The most events that are sent again to an endpoint per hour, by replays, redeliveries and tests. */
  resendsAnHour: { live: 10_000, test: 1_000 },
  /** A retry within this time gets its own wake from the queue. The sweep wakes for later ones. */
  ownWakeMs: 60_000,
  /** A wake that has not arrived within this time is sent again. */
  rewakeMs: 60_000,
  sweepBatch: 1000,
  sweepBatches: 20,
  /** How many changes of accounts one statement of the sweep writes as events. */
  activityBatch: 500,
  /** How many pending deliveries one statement gives up when their endpoint stops. The sweep does the rest. */
  stopBatch: 20_000,
  stopBatches: 20,
  /** How many stopping endpoints one run of the sweep handles. */
  stopEndpoints: 50,
  /** By then, an event whose transaction was open when its endpoint stopped has committed. */
  stopSettlesMs: 120_000,
  replayBatch: 1000,
  /** How many attempts a list shows for each delivery, newest first. */
  attemptsListed: 16,
  /** The newest deliveries of an endpoint that make its success rate. */
  healthDeliveries: 200,
  /** The most items that an event names of a long list: the limits in src/teams/tell-shared.sql. */
  mostNamed: 20,
} as const

export const RETRY_TIMES = listInWords(WEBHOOK_POLICY.retryAfterMs.map(timeInWords))
