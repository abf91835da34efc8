/** The numbers of webhooks (design section 4). Times in milliseconds. */
export const WEBHOOK_POLICY = {
  /** An answer after this is none. */
  timeoutMs: 15_000,
  /** The waits before the second, third, … attempt, each ± `jitter` of itself. Behind the last one the delivery has failed. */
  retryAfterMs: [5_000, 300_000, 1_800_000, 7_200_000, 18_000_000, 36_000_000, 36_000_000],
  jitter: 0.2,
  /** What a Retry-After can ask for at most. */
  longestRetryAfterMs: 86_400_000,
  /** An endpoint that has only failed for so long is disabled. */
  disableAfterMs: 5 * 86_400_000,
  /** The old secret signs beside the new one for so long. */
  rotationMs: 86_400_000,
  secretBytes: 32,
  /** What is kept of a receiver's answer. */
  answerBytes: 1024,
  /** schema.sql's slots. */
  maxEndpoints: 50,
  urlLength: 2048,
  /** One dispatcher's run: what it takes at a time, how many requests it has open, and when it hands over to the next. */
  batch: 24,
  batchBytes: 4 * 1024 * 1024,
  concurrency: 6,
  runBudgetMs: 20_000,
  /** Longer than a run's last attempt can take. */
  leaseMs: 60_000,
  recordTries: 3,
  /** What all runs of an endpoint may have open together, when it answers and when it does not. */
  inFlight: 60,
  inFlightFailing: 24,
  /** A retry within this time gets a wake of its own from the queue; later ones are the sweeper's. */
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
  /** An event whose commit was under way when its endpoint stopped is there by then. */
  stopSettlesMs: 120_000,
  replayBatch: 1000,
  /** Attempts that a list shows for each delivery, the newest ones. */
  attemptsListed: 16,
} as const
