import { countInWords, sizeInWords } from "../base/in-words.ts"
import { usdText } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { WEBHOOK_POLICY } from "../webhooks/policies.ts"

/** A bound that a caller can meet. */
export interface Limit {
  /** What is bounded. */
  what: string
  /** What happens beyond it: the status and code, or what is done instead. */
  beyond: string
  /** Where it can be set otherwise; left out when only the code says it. */
  set?: string
}

const limit = (what: string, beyond: string, set?: string): Limit => ({ what, beyond, ...(set && { set }) })

const INVALID = "422 `VALIDATION_FAILED`"
const TOO_LARGE = "413 `PAYLOAD_TOO_LARGE`"
const MODEL_SEES = "the model sees an error"
const FAILED = (code: string) => `the turn is \`failed\`, \`${code}\``

/**
 * Every bound of a policy (`src/ROOM/policies.ts`, `POLICY.name`) that a caller can meet. A structure test finds a number of a policy that is
 * neither here nor in INTERNAL_NUMBERS.
 */
export const SHOWN_LIMITS: Record<string, Limit> = {
  "FILE_POLICY.maxBytes": limit("A file", TOO_LARGE),
  "FILE_POLICY.maxNameBytes": limit("A file's name, as UTF-8", "it is shortened"),
  "FILE_POLICY.maxNameCharacters": limit("A file's name", "it is shortened"),
  "FILE_POLICY.partMs": limit(
    `${sizeInWords(FILE_POLICY.partBytes)} of an upload, until their last byte`,
    "408 `REQUEST_TIMEOUT`",
  ),
  "BODY_POLICY.jsonMs": limit("A JSON body, until its last byte", "408 `REQUEST_TIMEOUT`"),
  "BODY_POLICY.idleMs": limit("An upload that brings nothing", "408 `REQUEST_TIMEOUT`"),
  "FILE_POLICY.uploadLimitMs": limit("An upload, until its last byte", "it is given up"),
  "SPACE_POLICY.maxTools": limit("REST tools of a space", INVALID),
  "SPACE_POLICY.maxMcpServers": limit("MCP servers of a space", INVALID),
  "SPACE_POLICY.maxSecrets": limit("Secrets of a space", INVALID),
  "SPACE_POLICY.members": limit("Users that a space itself is shared with", "409 `LIMIT_REACHED`"),
  "SPACE_POLICY.maxConfigBytes": limit("All tools of a space together, and all its MCP servers, as JSON", INVALID),
  "TOOL_POLICY.maxResultBytes": limit(
    "A tool's result, as text",
    "the model sees an error instead; a sub-agent's answer is cut",
  ),
  "TOOL_POLICY.timeoutMs": limit("A call of a REST tool", MODEL_SEES, "`timeout_seconds` of the tool, up to 120"),
  "TOOL_POLICY.maxMcpBytes": limit("An MCP server's answer", MODEL_SEES),
  "TOOL_POLICY.mcpTimeoutMs": limit("A call of an MCP server's tool", MODEL_SEES),
  "TOOL_POLICY.mcpConnectMs": limit("Connecting to an MCP server", "one more try, then `MCP_SERVER_UNAVAILABLE`"),
  "TOOL_POLICY.mcpOpenMs": limit("Connecting to all MCP servers of a turn", FAILED("MCP_SERVER_UNAVAILABLE")),
  "TOOL_POLICY.mcpMaxTools": limit("Tools of one MCP server", "the others are left out"),
  "TOOL_POLICY.maxImagesPerResult": limit("Images in a tool's result", "the others are left out"),
  "TOOL_POLICY.maxImageBytes": limit("An image in a tool's result", "it is left out"),
  "TOOL_POLICY.parallelCalls": limit("Tool calls of a step at one time", "the others wait"),
  "TOOL_POLICY.callsPerStep": limit("Tool calls of a step", MODEL_SEES),
  "TOOL_POLICY.maxFileBytes": limit("A file that the agent writes", MODEL_SEES),
  "TOOL_POLICY.pictureTimeoutMs": limit("Making a picture", MODEL_SEES),
  "TOOL_POLICY.maxPictureBytes": limit("A picture that is made", MODEL_SEES),
  "TOOL_POLICY.picturePromptCharacters": limit("A picture's description", MODEL_SEES),
  "TOOL_POLICY.fileWindowBytes": limit("What the agent reads of a file at once", "it reads on with an offset"),
  "TURN_POLICY.defaultHold": limit(
    "What a turn holds at first",
    "it takes more as it needs",
    "`max_cost_usd` of the turn",
  ),
  "TURN_POLICY.idleMs": limit(
    "A model that says nothing",
    "the call ends, and is tried again",
    "the model's row of the catalog",
  ),
  "TURN_POLICY.wordlessMs": limit("A model that says nothing, while its server sends signs of life", "the same"),
  "TURN_POLICY.maxAttempts": limit("Workers in a row that a turn is lost with", FAILED("ENGINE_LOST")),
  "TURN_POLICY.maxModelFailures": limit("Failures of the model in a row", FAILED("MODEL_UNAVAILABLE")),
  "TURN_POLICY.queueLimitMs": limit("A queued turn", "it is `cancelled`, `expired`"),
  "TURN_POLICY.maxSteps": limit("Steps of a turn", FAILED("STEP_LIMIT_REACHED"), "`max_steps` of the manifest"),
  "TURN_POLICY.timeoutSeconds": limit(
    "A turn, from its start",
    FAILED("TIMEOUT_REACHED"),
    "`timeout_seconds` of the turn, else of the manifest, up to 3600",
  ),
  "TURN_POLICY.historyTurns": limit(
    "Earlier turns that the model sees",
    "older ones are left out",
    "`history.max_turns` of the manifest",
  ),
  "TURN_POLICY.historyTokens": limit(
    "Tokens of earlier turns",
    "older ones are left out",
    "`history.max_tokens` of the manifest",
  ),
  "TURN_POLICY.maxModelCalls": limit("Model calls of a turn, over all its agents", FAILED("STEP_LIMIT_REACHED")),
  "TURN_POLICY.transcriptBytes": limit(
    "What models and tools have said in a turn, as JSON",
    FAILED("TRANSCRIPT_LIMIT_REACHED"),
  ),
  "TURN_POLICY.historyBytes": limit("Earlier turns, as JSON", "older ones are left out"),
  "TURN_POLICY.attachedTextBytes": limit("An attached text that the model sees whole", "it reads the rest as a file"),
  "TURN_POLICY.attachedObjectBytes": limit("An attached picture or document that the model sees", "it is named only"),
  "TURN_POLICY.answerBytes": limit("A page of turns, as JSON", "it ends earlier, with `next_cursor`"),
  "SPACE_POLICY.answerBytes": limit("A page of spaces, as JSON", "it ends earlier, with `next_cursor`"),
  "LOOK_POLICY.perCaller": limit("Long polls and streams of a key or session, in one worker", "429 `QUOTA_EXCEEDED`"),
  "STREAM_POLICY.maxLooks": limit("Looks of an event stream", "it ends; reconnect with `Last-Event-ID`"),
  "WEBHOOK_POLICY.timeoutMs": limit("A receiver's answer", "the attempt has failed"),
  "WEBHOOK_POLICY.retryAfterMs": limit(
    `The waits between attempts, ± ${WEBHOOK_POLICY.jitter * 100} %`,
    "the delivery has failed",
    "`Retry-After` of the receiver, up to a day",
  ),
  "WEBHOOK_POLICY.disableAfterMs": limit("An endpoint that only fails", "it is disabled, with an event"),
  "WEBHOOK_POLICY.maxEndpoints": limit("Endpoints of an account", "409 `LIMIT_REACHED`"),
  "WEBHOOK_POLICY.urlLength": limit("An endpoint's URL", INVALID),
  "WEBHOOK_POLICY.answerBytes": limit("A receiver's answer that is kept", "it is cut"),
  "WEBHOOK_POLICY.rotationMs": limit("How long the former secret signs too", "it no longer signs"),
  "WEBHOOK_POLICY.mostFormerSecrets": limit("Former secrets of an endpoint that sign at once", "409 `LIMIT_REACHED`"),
  "WEBHOOK_POLICY.attemptsListed": limit("Attempts that a list shows of a delivery", "older ones are left out"),
  "WEBHOOK_POLICY.mostNamed": limit("Spaces, and people, that an event names", "the others are only counted"),
  "WEBHOOK_POLICY.hostRate": limit(
    "Requests to one host, of all accounts together: live, and of test keys",
    "deliveries wait; a `ping` or `test` answers 429",
  ),
  "WEBHOOK_POLICY.resendsAnHour": limit(
    "Events that an endpoint is sent again within an hour: live, and by test keys",
    "429 `QUOTA_EXCEEDED`",
  ),
  "SESSION_POLICY.lifeMs": limit("A session, from its last use", "401 `SESSION_REQUIRED`"),
  "ACTING_POLICY.lifeMs": limit("An admin's session as a user", "401 `SESSION_REQUIRED`"),
  "TOKEN_POLICY.sign_in": limit("A magic link (`ttlMs`), and an app token (`appMs`)", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.password_reset": limit("A link to set a new password", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.web_login": limit("A login that waits for the bot", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.oauth_state": limit("The way to an identity provider and back", "400 `LOGIN_STATE_INVALID`"),
  "LOGIN_POLICY.accountAtAddress": limit("Wrong passwords of an account from one address", "429 `LOGIN_THROTTLED`"),
  "LOGIN_POLICY.address": limit("Wrong passwords from one address", "429 `LOGIN_THROTTLED`"),
  "LOGIN_POLICY.accountElsewhere": limit(
    "Wrong passwords of an account where it never signed in",
    "429 `LOGIN_THROTTLED`",
  ),
  "RESET_POLICY.address": limit("Links for a new password asked for at one address", "429 `LOGIN_THROTTLED`"),
  "RESET_POLICY.email": limit("Links for a new password of one account", "429 `LOGIN_THROTTLED`"),
  "FACTOR_POLICY.inOneLogin": limit("Wrong codes of a second factor in one login", "429 `LOGIN_THROTTLED`"),
  "FACTOR_POLICY.atKnownPlace": limit(
    "Wrong codes of a second factor at an address where the account has been signed in",
    "429 `LOGIN_THROTTLED`",
  ),
  "FACTOR_POLICY.elsewhere": limit(
    "Wrong codes of a second factor at all other addresses together",
    "429 `LOGIN_THROTTLED`",
  ),
  "FACTOR_POLICY.recoveryCodes": limit("Recovery codes of a second factor", "each works once"),
  "SESSION_POLICY.mostOpen": limit("Open sessions of an account", "the one that was used longest ago ends"),
  "SESSION_POLICY.placesTold": limit("New places of a day that an account's owner is told of", "they are not told"),
  "SESSION_POLICY.factorMs": limit("A login that waits for the code of a second factor", "401 `INVALID_TOKEN`"),
  "PASSWORD_POLICY.waiting": limit("Passwords that wait to be checked in one worker", "503 `UNAVAILABLE`"),
  "PASSWORD_POLICY.minLength": limit("A password, at least", INVALID),
  "PASSWORD_POLICY.maxLength": limit("A password, at most", INVALID),
  "LAUNCH_POLICY.maxAgeMs": limit("The age of a mini-app's launch data", "401 `INVALID_LAUNCH_DATA`"),
  "BOOKING_POLICY.maxMicros": limit("One booking of credit", INVALID),
  "BOOKING_POLICY.noteCharacters": limit("A booking's note", INVALID),
  "ERASURE_POLICY.exportTurns": limit("Turns of a page of an export", "it ends, with `next_cursor`"),
  "ERASURE_POLICY.exportBytes": limit("A page of an export", "it ends earlier, with `next_cursor`"),
  "ANALYTICS_POLICY.mostWindowDays": limit("`active_window_days`", INVALID),
  "LIST_POLICY.page": limit("A page of a list that answers everything", "the rest is on the next page", "`offset`"),
  "LIST_POLICY.file": limit("Entries of a report as a file", "the file ends; ask for shorter ranges"),
  "REPORT_POLICY.spaceHoursDays": limit("The range of hourly costs by space, in days", INVALID),
  "PROVIDER_POLICY.maxAccounts": limit("Accounts at a provider that one model call tries", "the call has failed"),
  "PROVIDER_POLICY.loginMs": limit("A login to an account at a provider", "409 `LOGIN_EXPIRED`"),
}

/** Paces, batches and time limits of the service itself, which no caller meets; `POLICY.*` is all of one. */
export const INTERNAL_NUMBERS: readonly string[] = [
  "QUOTA_POLICY.*",
  "INFRASTRUCTURE_POLICY.*",
  "INFRA_POLICY.*",
  "RECONCILIATION_POLICY.*",
  "OIDC_POLICY.*",
  "BOT_POLICY.*",
  "BOARD_POLICY.*",
  ...of("FILE_POLICY", "partBytes sweepBatch sweepBatches"),
  ...of("TOOL_POLICY", "maxWireBytes maxPictureAnswerBytes maxErrorBytes picturesAtOnce picturesWaiting"),
  ...of(
    "TURN_POLICY",
    "walletShards runBudgetMs renewLeaseMs leaseMs cancelLookMs cancelFreshMs cancelsAtOnce workerMs commitPausesMs commitMs modelBackoffMs",
  ),
  ...of("TURN_POLICY", "cacheMs cacheHourMs cacheKeyChars"),
  ...of(
    "TURN_POLICY",
    "modelBackoffLimitMs brokenMs historyWithin bytesPerToken startCallsWithinMs startTries clockSkewMs",
  ),
  ...of("TURN_POLICY", "streamFlushMs streamFlushes slowFlushMs streamLookMs minOutputTokens"),
  ...of("TURN_POLICY", "sweepBatch sweepBatches cancelBatch testTurnsAgainSeconds"),
  "RUNNER_POLICY.*",
  ...of(
    "LOOK_POLICY",
    "eagerMs pauseMs quietMs quietPauseMs speaksMs atOnce eagerPerCaller retryAfterSeconds goneMs leastMs patienceMs againMs sharedTurns",
  ),
  ...of("TURN_POLICY", "modelBytes modelLineBytes modelErrorBytes"),
  ...of("STREAM_POLICY", "page heartbeatMs readerMs renewMs ownLookMs"),
  ...of(
    "WEBHOOK_POLICY",
    "jitter longestRetryAfterMs secretBytes batch batchBytes concurrency runBudgetMs leaseMs recordTries",
  ),
  ...of("WEBHOOK_POLICY", "inFlight inFlightFailing ownWakeMs rewakeMs sweepBatch sweepBatches stopBatch stopBatches"),
  ...of("WEBHOOK_POLICY", "stopEndpoints stopSettlesMs replayBatch"),
  ...of("SESSION_POLICY", "noteUseMs keptMs mostKept"),
  ...of("FACTOR_POLICY", "digits periodSeconds window"),
  ...of("PASSWORD_POLICY", "atOnce"),
  ...of("ACTING_POLICY", "cookieMs"),
  ...of("LAUNCH_POLICY", "maxAheadMs"),
  ...of(
    "ERASURE_POLICY",
    "turnsPerStatement eventsPerStatement objectsPerRound roundsOfRequest roundsOfSweep checkAfterMs sweepBatch",
  ),
  ...of("ANALYTICS_POLICY", "rollBatch rollBatches runMs closeAfterMs"),
  ...of("LIST_POLICY", "part partRows"),
  ...of("REPORT_POLICY", "pairs"),
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
    "spendRows keepSnapshotsMs thinSnapshotsMs thinHours deleteBatch limitsMs lacksMs crowdMs barredMs",
  ),
  ...of(
    "PROVIDER_POLICY",
    "rosterDraws rosterMs rosterPauseMs rosterAccounts drawTries openedMs servedKept longestBarredMs",
  ),
]

function of(policy: string, names: string): string[] {
  return names.split(" ").map((name) => `${policy}.${name}`)
}

/** A policy's number as people read it, by the unit at the end of its name. */
export function shownLimit(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map((one) => shownLimit(name, one)).join(", ")
  if (typeof value === "object" && value !== null) {
    return Object.entries(value)
      .map(([part, one]) =>
        part === "burst"
          ? `${one} at once`
          : part === "intervalMs"
            ? `then one in ${shownLimit(part, one)}`
            : shownLimit(part, one),
      )
      .join(", ")
  }
  if (typeof value !== "number") return String(value)
  if (/Ms$/.test(name)) return shownTime(value)
  if (/Seconds$/.test(name)) return shownTime(value * 1000)
  if (/Bytes$/.test(name)) return sizeInWords(value)
  if (/Micros$|Hold$/.test(name)) return `${usdText(value)} USD`
  if (/(Characters|Length)$/.test(name)) return `${value} characters`
  if (/Days$/.test(name)) return `${value} days`
  return countInWords(value)
}

function shownTime(ms: number): string {
  for (const [unit, size] of [
    ["d", DAY_MS],
    ["h", 3_600_000],
    ["min", 60_000],
    ["s", 1000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size} ${unit}`
  }
  return `${ms} ms`
}
