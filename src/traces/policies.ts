/** Limits of spans and their endpoints that an account can reach. Times are in milliseconds. */
export const TRACE_POLICY = {
  /** Turns that ended longer ago are no longer exported. */
  keepsMs: 24 * 3_600_000,
  /** The most characters of each text that a span shows. */
  text: 8_000,
  /** The most events and webhook deliveries of a turn that become spans. */
  events: 2_000,
  deliveries: 50,
  /** The time limit of a response. */
  timeoutMs: 10_000,
  urlLength: 2048,
  headers: 20,
  headerLength: 4096,
} as const

/** How spans of ended turns are exported (docs/architecture/traces.md). Times are in milliseconds. */
export const SPAN_EXPORT_POLICY = {
  /**
   * A turn is exported this long after its end. By then, the transaction of its end has committed, and its webhooks
   * have had their first attempts.
   */
  settlesMs: 60_000,
  /** The most turns, and bytes of rows, of one request. */
  turns: 50,
  bytes: 2 * 1024 * 1024,
  /** The most failed attempts of a turn that its span shows. */
  attempts: 100,
  /** The operator's export reads the turns of at most this time at once. */
  windowMs: 600_000,
  /** The bytes of a response that are read, and the characters of an error that are kept. */
  answerBytes: 64 * 1024,
  errorLength: 500,
  /** One run: endpoints at once, in all, requests per endpoint, and the time after which it starts no request. */
  atOnce: 4,
  endpoints: 400,
  requests: 40,
  runMs: 35_000,
  /** Longer than a run can take. */
  leaseMs: 120_000,
  /** The wait after a failure, doubled by each further failure up to the longest, each ± `jitter` of itself. */
  retryAfterMs: 60_000,
  longestRetryMs: 3_600_000,
  jitter: 0.2,
} as const
