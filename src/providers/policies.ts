import { ERROR_TIMES } from "../base/policies.ts"
/** Policies for accounts at model providers. Times are in milliseconds. */
export const PROVIDER_POLICY = {
  /** An access token is refreshed when it expires within this time. */
  refreshBeforeMs: 5 * 60_000,
  /** How long one worker's claim on a refresh lasts. */
  refreshMs: 30_000,
  /** How long a conversation stays with its last account: the lifetime of the provider's prompt cache. */
  bindMs: 60 * 60_000,
  /** An isolate keeps a roster once this number of conversations started in it within `rosterMs`. */
  rosterDraws: 8,
  /** How long a roster is used. It is read again after half of that. */
  rosterMs: 10_000,
  /** The shortest time between two claims that ask for a roster. */
  rosterPauseMs: 1_000,
  /** An engine with more accounts has no roster. */
  rosterAccounts: 200,
  /** How long an isolate keeps an opened credential. */
  openedMs: 60_000,
  /** How many recently used accounts of an engine an isolate remembers. */
  servedKept: 16,
  /** The most accounts that one model call tries. */
  maxAccounts: 3,
  /** An account that rejected this number of calls since its last success, all served by others, is suspended. */
  rejections: 3,
  /** How long a probe has an account for itself. */
  probeMs: 60_000,
  /** How long an account cools again after a failed probe, if its provider names no time. */
  coolAgainMs: 60_000,
  /** The first pause of a suspended account. Then one call probes it. */
  barredMs: 10 * 60_000,
  /** Each failed probe doubles that pause, up to this time. */
  longestBarredMs: 6 * 3_600_000,
  /** How soon a turn calls accounts again after passing errors, while all others cool. */
  passingMs: 10_000,
  /** How long an account that lacks a model is not called for it, while others have it. */
  lacksMs: 10 * 60_000,
  /** Turns that wait for the same account retry within a random time of at most this. */
  crowdMs: 10_000,
  /** The latest end of a cooling. */
  longestMs: 10 * 365 * 86_400_000,
  /** How often a worker checks whether another worker has refreshed the token. */
  refreshLookMs: 500,
  /** The waits between saves of an exchanged token. The exchange itself is never repeated. */
  saveWaitsMs: [250, 1_000, 3_000],
  /** No save starts later than this after the first one. */
  saveMs: 20_000,
  /** The time limit of a request to a login or token endpoint. */
  timeoutMs: 8_000,
  /** The largest answer of such a request, in bytes. */
  maxBytes: 256 * 1024,
  /** How far a provider's clock may differ from ours, in seconds. */
  toleranceSeconds: 30,
  /** The Retry-After of an answer while a provider is unavailable, in seconds. */
  retryAfterSeconds: 5,
  /** How long a login may take. */
  loginMs: ERROR_TIMES.providerLoginMs,
  /** How long the service remembers that a login expired. */
  loginNotedMs: 24 * 3_600_000,
  /** The longest lifetime of a device code. */
  deviceMs: 60 * 60_000,
  /** How long one worker's claim on a login lasts, for a poll or to complete it. */
  takeMs: 60_000,
  /** The default time between polls, the increase after a slow_down, and the longest time. In seconds. */
  intervalSeconds: 5,
  slowDownSeconds: 5,
  maxIntervalSeconds: 60,
  /** A poll that is later than this was lost, and is published again. */
  pollLateMs: 15_000,
  /** How many polls one sweep publishes, and how long ended logins are kept. */
  sweepBatch: 20,
  keepLoginsMs: 90 * 24 * 3_600_000,
  /** The lifetime of the published capacity: a few runs of the sweep that renews it. */
  publishedMs: 3 * 60_000,
  /**
   * The most points of a report that is not thinned, and the most of a thinned one, which
   * costs the database 10 µs per point.
   */
  points: 10_000,
  thinnedPoints: 2_000,
  /** The most account-hours in a report. With more, it sums days. */
  spendRows: 7_500,
  /** After this time only the newest snapshot of each hour is kept. The setting snapshot_days ends that. */
  thinSnapshotsMs: 7 * 86_400_000,
  /** The most hours that one run thins, and the most old snapshots that it deletes. */
  thinHours: 24,
  deleteBatch: 20_000,
  /** The time limit of a request for an account's limits. */
  limitsMs: 10_000,
} as const
