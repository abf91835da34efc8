/**
 * Intervals, batch sizes and timeouts inside the service, which no caller can reach. `POLICY.*` covers a whole
 * policy.
 */
export const INTERNAL_NUMBERS: readonly string[] = [
  "SPAN_EXPORT_POLICY.*",
  "EXPORT_POLICY.*",
  "RECEIPT_POLICY.*",
  "HEALTH_POLICY.*",
  "DEPRECATION_POLICY.*",
  "QUOTA_POLICY.*",
  "INFRASTRUCTURE_POLICY.*",
  "PRICE_FEED_POLICY.*",
  "INFRA_POLICY.*",
  "RECONCILIATION_POLICY.*",
  "BOOK_POLICY.*",
  "OIDC_POLICY.*",
  "BOT_POLICY.*",
  "BOARD_POLICY.*",
  "EXPLORER_POLICY.*",
  "RETENTION_POLICY.*",
  ...of("DIALECT_POLICY", "firstTryMs modelPage waitingStreamMs"),
  "SETUP_POLICY.*",
  "ATTENTION_POLICY.*",
  "PACE_POLICY.*",
  "UNUSUAL_POLICY.*",
  ...of("BUDGET_POLICY", "usual accounts sweepMs"),
  ...of("RESALE_POLICY", "shownVersions millionths lowBalance"),
  ...of("FILE_POLICY", "partBytes sweepBatch sweepBatches"),
  ...of(
    "TOOL_POLICY",
    "maxWireBytes maxPictureAnswerBytes maxErrorBytes picturesAtOnce picturesWaiting identityLeewaySeconds",
  ),
  ...of(
    "TURN_POLICY",
    "providerMessageLength walletShards runBudgetMs renewLeaseMs leaseMs cancelLookMs cancelFreshMs marksAtOnce markAgainMs markPatienceMs workerMs commitPausesMs commitMs modelBackoffMs",
  ),
  ...of("TURN_POLICY", "cacheMs cacheHourMs cacheKeyChars"),
  ...of(
    "TURN_POLICY",
    "modelBackoffLimitMs brokenMs historyWithin bytesPerToken startCallsWithinMs startTries clockSkewMs",
  ),
  ...of("TURN_POLICY", "streamFlushMs streamFlushes slowFlushMs streamLookMs readerFreshMs minOutputTokens"),
  ...of("TURN_POLICY", "sweepBatch sweepBatches cancelBatch testTurnsAgainSeconds"),
  "RUNNER_POLICY.*",
  "PUSH_POLICY.*",
  ...of(
    "LOOK_POLICY",
    "eagerMs pauseMs quietMs quietPauseMs speaksMs atOnce eagerPerCaller retryAfterSeconds goneMs leastMs patienceMs againMs sharedTurns",
  ),
  ...of("TURN_POLICY", "modelBytes modelLineBytes modelErrorBytes"),
  ...of("WATCH_POLICY", "seconds maxChars"),
  ...of(
    "PORTAL_POLICY",
    "seconds leastSeconds previewSeconds originChars urlChars contrast maxTokenChars maxSessionChars codeBytes days turns excerptChars approvals entries profileKeys",
  ),
  "IN_PLACE_POLICY.*",
  ...of("TURN_WAIT_POLICY", "againMs tryMs wakes accounts expires"),
  ...of("STREAM_POLICY", "page heartbeatMs readerMs renewMs ownLookMs"),
  ...of(
    "WEBHOOK_POLICY",
    "jitter longestRetryAfterMs secretBytes batch batchBytes concurrency runBudgetMs leaseMs recordTries",
  ),
  ...of("WEBHOOK_POLICY", "inFlight inFlightFailing ownWakeMs rewakeMs sweepBatch sweepBatches stopBatch stopBatches"),
  ...of("WEBHOOK_POLICY", "activityBatch stopEndpoints stopSettlesMs replayBatch healthDeliveries"),
  ...of("SESSION_POLICY", "noteUseMs mostKept"),
  ...of("FACTOR_POLICY", "digits periodSeconds window"),
  ...of("PASSWORD_POLICY", "atOnce scrypt"),
  ...of("ACTING_POLICY", "cookieMs"),
  ...of("LAUNCH_POLICY", "maxAheadMs"),
  ...of(
    "ERASURE_POLICY",
    "turnsPerStatement eventsPerStatement objectsPerRound roundsOfRequest roundsOfSweep checkAfterMs sweepBatch",
  ),
  ...of("ANALYTICS_POLICY", "rollBatch rollBatches runMs closeAfterMs"),
  ...of("LIST_POLICY", "part partRows"),
  ...of("REPORT_POLICY", "pairs"),
  ...of("REPORT_FILE_POLICY", "partRows runMs leaseMs lostMs tries sweepBatch"),
  ...of(
    "PROVIDER_POLICY",
    "refreshBeforeMs refreshMs bindMs probeMs coolAgainMs passingMs longestMs refreshLookMs saveWaitsMs saveMs",
  ),
  ...of(
    "PROVIDER_POLICY",
    "timeoutMs maxBytes toleranceSeconds retryAfterSeconds loginNotedMs deviceMs takeMs intervalSeconds",
  ),
  ...of(
    "PROVIDER_POLICY",
    "slowDownSeconds maxIntervalSeconds pollLateMs sweepBatch keepLoginsMs publishedMs points thinnedPoints",
  ),
  ...of(
    "PROVIDER_POLICY",
    "spendRows thinSnapshotsMs thinHours deleteBatch limitsMs lacksMs crowdMs barredMs rejections",
  ),
  ...of("PROVIDER_POLICY", "rosterDraws rosterMs rosterPauseMs rosterAccounts openedMs servedKept longestBarredMs"),
]

function of(policy: string, names: string): string[] {
  return names.split(" ").map((name) => `${policy}.${name}`)
}
