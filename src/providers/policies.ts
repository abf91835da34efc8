/** Numbers of accounts at the providers of models. Times are milliseconds. */
export const PROVIDER_POLICY = {
  /** An access token is refreshed when it ends within this time. */
  refreshBeforeMs: 5 * 60_000,
  /** How long one worker may take to refresh a token. */
  refreshMs: 30_000,
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
