/** Comparing our calls with the reports of providers. Times are in milliseconds. */
export const BOOK_POLICY = {
  /** A day is first compared this long after its end: reports of providers lag by minutes to some hours. */
  firstAfterMs: 6 * 3_600_000,
  /** Until it is settled, it is compared again this often. */
  everyMs: 12 * 3_600_000,
  /** From this time after its end, the next comparison settles it. */
  settlesAfterMs: 48 * 3_600_000,
  /** How soon a failed comparison is repeated. */
  retryMs: 3_600_000,
  /** How long one worker's claim on a day lasts. */
  leaseMs: 5 * 60_000,
  /** A day whose comparison has failed for this long fails the health check. */
  failingMs: 24 * 3_600_000,
  /** How many days before the setting of a key are compared, and how long compared days are kept. */
  backDays: 7,
  keepDays: 400,
  /** When one run of the sweep starts no further day, and the most days of a run. */
  runMs: 20_000,
  days: 6,
  /** The time limit and the most bytes of a request, and the most pages of one report of a day. */
  timeoutMs: 15_000,
  answerBytes: 2 * 1024 * 1024,
  pages: 20,
  /** The single calls that are looked up for one day, those with the largest amounts first, and at once. */
  singleCalls: 40,
  singleCallsAtOnce: 4,
  /** How many seconds the clocks and the commit of a call may differ from the provider's time. */
  slackSeconds: 60,
  /**
   * Amounts differ by rounding: we round each part of a call up to a credit micro, and a provider rounds each line.
   * In credit micros, for each call and for each model and day.
   */
  callMicros: 8,
  modelMicros: 10_000,
  /** The most models of a day, and the calls that the page of a day shows. */
  models: 200,
  shownCalls: 100,
} as const
