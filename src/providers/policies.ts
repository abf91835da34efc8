/** Numbers of accounts at the providers of models. Times are milliseconds. */
export const PROVIDER_POLICY = {
  /** An access token is refreshed when it ends within this time. */
  refreshBeforeMs: 5 * 60_000,
  /** How long one worker may take to refresh a token. */
  refreshMs: 30_000,
  /** How long a conversation stays with the account that served it last: the life of the provider's prompt cache. */
  bindMs: 60 * 60_000,
  /** An isolate in which so many conversations have begun within `rosterMs` keeps a roster of the accounts. */
  rosterDraws: 8,
  /** How long a roster counts. It is read again after half of that. */
  rosterMs: 10_000,
  /** The shortest time between two claims that ask for one. */
  rosterPauseMs: 1_000,
  /** Of an engine that has more accounts there is no roster. */
  rosterAccounts: 200,
  /** How many accounts a draw tries by chance before it reads the windows of all. */
  drawTries: 6,
  /** How long what an isolate has opened of a credential is used. */
  openedMs: 60_000,
  /** How many accounts of an engine an isolate remembers by when they served last. */
  servedKept: 16,
  /** How many accounts one model call may try. */
  maxAccounts: 3,
  /** How long the one call that tries an account again has it for itself. */
  probeMs: 60_000,
  /** How long an account cools again when that call has failed, and its provider does not say. */
  coolAgainMs: 60_000,
  /** How long an account is not called whose provider has said that it may not, or cannot pay. Then one call tries it again. */
  barredMs: 10 * 60_000,
  /** Each such call that is refused again doubles that time, up to this. */
  longestBarredMs: 6 * 3_600_000,
  /** How soon accounts are called again that have failed in passing, while others cool. */
  passingMs: 10_000,
  /** How long an account that does not have a model is not asked for it, while others have it. */
  lacksMs: 10 * 60_000,
  /** Turns that wait for the same account come back over this time at the most. */
  crowdMs: 10_000,
  /** No date is further away. */
  longestMs: 10 * 365 * 86_400_000,
  /** How often others look whether a token that somebody refreshes is there. */
  refreshLookMs: 500,
  /** The waits between the saves of a token that was exchanged: the exchange itself is never repeated. */
  saveWaitsMs: [250, 1_000, 3_000],
  /** No save begins later than this after the first. */
  saveMs: 20_000,
  /** A request to the provider of a login or of a token. */
  timeoutMs: 8_000,
  /** The largest answer of one, in bytes. */
  maxBytes: 256 * 1024,
  /** How far a provider's clock may be from ours, in seconds. */
  toleranceSeconds: 30,
  /** When a request that a provider could not serve may be repeated, in seconds. */
  retryAfterSeconds: 5,
  /** How long a login may take. */
  loginMs: 15 * 60_000,
  /** So long it is known afterwards that one has expired. */
  loginNotedMs: 24 * 3_600_000,
  /** The longest time that a device's code is waited for. */
  deviceMs: 60 * 60_000,
  /** How long one worker may take for a poll of a device's login, or to complete one. */
  takeMs: 60_000,
  /** The time between polls, in seconds, when the provider names none; what a slow_down adds; and the longest. */
  intervalSeconds: 5,
  slowDownSeconds: 5,
  maxIntervalSeconds: 60,
  /** A poll that is late by this was lost, and is published again. */
  pollLateMs: 15_000,
  /** How many logins a sweep publishes, and how long ended ones are kept. */
  sweepBatch: 20,
  keepLoginsMs: 90 * 24 * 3_600_000,
  /** So long the published capacity of the pools counts: some runs of the sweep that renews it. */
  publishedMs: 3 * 60_000,
  /** Points of a report that come as they are, and how many at most when there are more: each of those is 10 µs of the database. */
  points: 10_000,
  thinnedPoints: 2_000,
  /** Hours of accounts in a report; with more of them it sums days. */
  spendRows: 7_500,
  /** Snapshots are kept so long, and behind the second time only the newest of each hour. The longest report has 90 days. */
  keepSnapshotsMs: 92 * 86_400_000,
  thinSnapshotsMs: 7 * 86_400_000,
  /** Hours that one run thins, and old snapshots that it deletes. */
  thinHours: 24,
  deleteBatch: 20_000,
  /** How long a provider may take to say what an account has left. */
  limitsMs: 10_000,
} as const
