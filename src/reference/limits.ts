import { countInWords, sizeInWords } from "../base/in-words.ts"
import { usdText } from "../base/money.ts"
import { DAY_MS } from "../base/time.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { WEBHOOK_POLICY } from "../webhooks/policies.ts"

/** A limit that a caller can reach. */
export interface Limit {
  /** The quantity that is limited. */
  what: string
  /** The result beyond the limit: a status with its code, or what the service does instead. */
  beyond: string
  /** Where the limit can be changed. Left out if only the code sets it. */
  set?: string
}

const limit = (what: string, beyond: string, set?: string): Limit => ({ what, beyond, ...(set && { set }) })

const INVALID = "422 `VALIDATION_FAILED`"
const TOO_LARGE = "413 `PAYLOAD_TOO_LARGE`"
const MODEL_SEES = "the model gets an error"
const FAILED = (code: string) => `the turn is \`failed\`, \`${code}\``

/**
 * Every number of a policy (`src/ROOM/policies.ts`, `POLICY.name`) that a caller can reach. A structure test fails if a
 * policy has a number that is neither here nor in INTERNAL_NUMBERS (internal-numbers.ts).
 */
export const SHOWN_LIMITS: Record<string, Limit> = {
  "FILE_POLICY.maxBytes": limit("Size of a file", TOO_LARGE),
  "FILE_POLICY.maxNameBytes": limit("Size of a file name, in UTF-8", "the name is shortened"),
  "FILE_POLICY.maxNameCharacters": limit("Length of a file name", "the name is shortened"),
  "FILE_POLICY.loadBytes": limit("Size of a file that is loaded from a URL", INVALID),
  "FILE_POLICY.loadMs": limit("Time to load a file from a URL", INVALID),
  "FILE_POLICY.partMs": limit(
    `Time to receive ${sizeInWords(FILE_POLICY.partBytes)} of an upload`,
    "408 `REQUEST_TIMEOUT`",
  ),
  "BODY_POLICY.jsonMs": limit("Time to receive a JSON body", "408 `REQUEST_TIMEOUT`"),
  "BODY_POLICY.idleMs": limit("Time in which an upload sends no data", "408 `REQUEST_TIMEOUT`"),
  "FILE_POLICY.uploadLimitMs": limit("Time to receive a whole upload", "the upload is aborted"),
  "DIALECT_POLICY.waitSeconds": limit(
    "Time that a request of OpenAI's or Anthropic's API waits for its turn",
    "the response is `in_progress`, a chat completion or message is 503 `UNAVAILABLE`",
  ),
  "DIALECT_POLICY.bodyBytes": limit("Size of a request of OpenAI's or Anthropic's API", TOO_LARGE),
  "DIALECT_POLICY.messages": limit("Messages of a request of OpenAI's or Anthropic's API", INVALID),
  "DIALECT_POLICY.references": limit("References to messages in a request of OpenAI's API", INVALID),
  "DIALECT_POLICY.modelPages": limit(
    "Pages of spaces in the list of models of OpenAI's or Anthropic's API",
    "older spaces are left out",
  ),
  "SPACE_POLICY.maxTools": limit("REST tools of a space", INVALID),
  "SPACE_POLICY.maxMcpServers": limit("MCP servers of a space", INVALID),
  "SPACE_POLICY.maxSecrets": limit("Secrets of a space", INVALID),
  "SPACE_POLICY.members": limit("Users with whom one space is shared directly", "409 `LIMIT_REACHED`"),
  "SPACE_POLICY.maxConfigBytes": limit("JSON size of all tools of a space, and of all its MCP servers", INVALID),
  "TOOL_POLICY.maxResultBytes": limit(
    "Size of a tool result, as text",
    "the model gets an error instead; the answer of a sub-agent is truncated",
  ),
  "TOOL_POLICY.timeoutMs": limit("Time of a REST tool call", MODEL_SEES, "`timeout_seconds` of the tool, up to 120"),
  "TOOL_POLICY.maxMcpBytes": limit("Size of an MCP server's response", MODEL_SEES),
  "TOOL_POLICY.mcpTimeoutMs": limit("Time of an MCP tool call", MODEL_SEES),
  "TOOL_POLICY.mcpConnectMs": limit("Time to connect to an MCP server", "one retry, then `MCP_SERVER_UNAVAILABLE`"),
  "TOOL_POLICY.mcpPauseSeconds": limit(
    "Time during which turns do not ask an optional MCP server that did not answer, by the number of its failures",
    "turns lack its tools",
  ),
  "TOOL_POLICY.mcpOpenMs": limit("Time to connect to all MCP servers of a turn", FAILED("MCP_SERVER_UNAVAILABLE")),
  "TOOL_POLICY.mcpMaxTools": limit("Tools of one MCP server", "the other tools are left out"),
  "TOOL_POLICY.toolsPerSearch": limit("Tools that one call of `find_tools` finds", "the best ones are answered"),
  "TOOL_POLICY.namesPerSearch": limit("Further tools that one call of `find_tools` names", "the others are not named"),
  "TOOL_POLICY.foundPerTurn": limit(
    "Tools that an agent finds in one turn",
    "it finds no further tool; known ones stay",
  ),
  "TOOL_POLICY.foundPerConversation": limit(
    "Found tools that a conversation keeps",
    "later turns find further tools again",
  ),
  "TOOL_POLICY.maxImagesPerResult": limit("Images in a tool's result", "the other images are left out"),
  "TOOL_POLICY.maxImageBytes": limit("Size of an image in a tool's result", "the image is left out"),
  "TOOL_POLICY.parallelCalls": limit("Tool calls of a step that run in parallel", "the other calls wait"),
  "TOOL_POLICY.callsPerStep": limit("Tool calls of a step", MODEL_SEES),
  "TOOL_POLICY.maxFileBytes": limit("Size of a file that the agent writes", MODEL_SEES),
  "TOOL_POLICY.pictureTimeoutMs": limit("Time to generate a picture", MODEL_SEES),
  "TOOL_POLICY.maxPictureBytes": limit("Size of a generated picture", MODEL_SEES),
  "TOOL_POLICY.picturePromptCharacters": limit("Length of a picture's prompt", MODEL_SEES),
  "TOOL_POLICY.fileWindowBytes": limit("Bytes of a file that one call reads", "the agent reads on with an offset"),
  "BILLING_DETAILS_POLICY.company": limit("Length of the company in billing details", INVALID),
  "BILLING_DETAILS_POLICY.address": limit("Length of the address in billing details", INVALID),
  "BILLING_DETAILS_POLICY.lines": limit("Lines of the address in billing details", INVALID),
  "BILLING_DETAILS_POLICY.taxNumber": limit("Length of the tax number in billing details", INVALID),
  "TRACE_POLICY.urlLength": limit("Length of the URL of an endpoint for traces", INVALID),
  "TRACE_POLICY.headers": limit("Headers of an endpoint for traces", INVALID),
  "TRACE_POLICY.headerLength": limit("Length of a header's value of an endpoint for traces", INVALID),
  "TRACE_POLICY.timeoutMs": limit("Time in which an endpoint for traces must answer", "the same spans are sent again"),
  "TRACE_POLICY.keepsMs": limit("Time for which spans of an ended turn are sent again", "they are given up"),
  "TRACE_POLICY.text": limit("Length of each text in a span", "the rest is cut off"),
  "TRACE_POLICY.events": limit("Events of a turn that become spans", "the later ones have no spans"),
  "TRACE_POLICY.deliveries": limit("Webhook deliveries of a turn that become spans", "the later ones have no spans"),
  "MESSAGE_POLICY.tools": limit("Tools that a turn brings", INVALID),
  "MESSAGE_POLICY.toolBytes": limit("Size of all tools that a turn brings, as JSON", INVALID),
  "MESSAGE_POLICY.exchangeTokens": limit("Tokens of an exchange that results continue, by the bound of holds", INVALID),
  "MESSAGE_POLICY.bytes": limit("Size of the messages of a turn or of its results, as JSON", INVALID),
  "MESSAGE_POLICY.bodyBytes": limit("Size of the body of a request that sends a turn", TOO_LARGE),
  "MESSAGE_POLICY.messages": limit("Messages of a turn", INVALID),
  "MESSAGE_POLICY.files": limit("Files that are sent with a turn", INVALID),
  "MESSAGE_POLICY.parts": limit("Parts of a message, its calls of tools, and results of a turn", INVALID),
  "MESSAGE_POLICY.textBytes": limit("Size of the `text` that a turn with messages shows", "the rest is cut off"),
  "FORMAT_POLICY.bytes": limit("Size of the schema of a result, as JSON", INVALID),
  "FORMAT_POLICY.refs": limit("References in the schema of a result", INVALID),
  "FORMAT_POLICY.properties": limit("Properties in the schema of a result", INVALID),
  "FORMAT_POLICY.values": limit("Values of `enum` in the schema of a result", INVALID),
  "FORMAT_POLICY.expansion": limit(
    "Schemas that one value of a result must fit, by references and combinations",
    INVALID,
  ),
  "TURN_POLICY.defaultHold": limit(
    "First hold of a turn",
    "the turn takes more when it needs more",
    "`max_cost_usd` of the turn",
  ),
  "TURN_POLICY.idleMs": limit(
    "Time without data from a model",
    "the call is aborted and retried",
    "the model's row in the catalog",
  ),
  "TURN_POLICY.wordlessMs": limit("Time with only keep-alives from a model", "the call is aborted and retried"),
  "TURN_POLICY.maxAttempts": limit("Workers in a row that lose the same turn", FAILED("ENGINE_LOST")),
  "TURN_POLICY.maxModelFailures": limit("Failed model calls of a turn in a row", FAILED("MODEL_UNAVAILABLE")),
  "TURN_POLICY.queueLimitMs": limit("Time that a turn is queued", "the turn is `cancelled`, `expired`"),
  "TURN_WAIT_POLICY.takenMs": limit("Time in which a worker must answer or renew a call", "another worker may take it"),
  "TURN_WAIT_POLICY.takes": limit("Calls that a worker takes at once", INVALID),
  "TURN_WAIT_POLICY.messageCharacters": limit("Length of a decision's message", INVALID),
  "TURN_POLICY.maxSteps": limit("Steps of a turn", FAILED("STEP_LIMIT_REACHED"), "`max_steps` of the manifest"),
  "TURN_POLICY.timeoutSeconds": limit(
    "Time of a turn from its start",
    FAILED("TIMEOUT_REACHED"),
    "`timeout_seconds` of the turn, else of the manifest, up to 3600",
  ),
  "TURN_POLICY.historyTurns": limit(
    "Earlier turns that the model sees",
    "older turns are left out",
    "`history.max_turns` of the manifest",
  ),
  "TURN_POLICY.historyTokens": limit(
    "Tokens of earlier turns that the model sees",
    "older turns are left out",
    "`history.max_tokens` of the manifest",
  ),
  "TURN_POLICY.maxModelCalls": limit("Model calls of all agents of a turn", FAILED("STEP_LIMIT_REACHED")),
  "TURN_POLICY.transcriptBytes": limit(
    "JSON size of a turn's transcript (output of models and tools)",
    FAILED("TRANSCRIPT_LIMIT_REACHED"),
  ),
  "TURN_POLICY.historyBytes": limit("JSON size of earlier turns that the model sees", "older turns are left out"),
  "TURN_POLICY.attachedTextBytes": limit(
    "Bytes of an attached text in the prompt",
    "the model reads the rest as a file",
  ),
  "TURN_POLICY.attachedObjectBytes": limit("Size of an attached picture or document", "the model sees only its name"),
  "TURN_POLICY.answerBytes": limit("JSON size of a page of turns", "the page ends earlier, with `next_cursor`"),
  "SPACE_POLICY.answerBytes": limit("JSON size of a page of spaces", "the page ends earlier, with `next_cursor`"),
  "LOOK_POLICY.perCaller": limit("Long polls and streams of a key or session, in one worker", "429 `QUOTA_EXCEEDED`"),
  "WATCH_POLICY.mostSeconds": limit("Life of a watch token", "422 `VALIDATION_FAILED`", "`expires_in`"),
  "PORTAL_POLICY.mostSeconds": limit("Life of a portal session", INVALID, "`expires_in`"),
  "PORTAL_POLICY.opened": limit("Portal sessions that an account opens", "429 `QUOTA_EXCEEDED`"),
  "PORTAL_POLICY.mostOrigins": limit("Origins that may frame a portal session", INVALID, "`allowed_origins`"),
  "STREAM_POLICY.maxLooks": limit("Database reads of one event stream", "it ends; reconnect with `Last-Event-ID`"),
  "WEBHOOK_POLICY.timeoutMs": limit("Time until a webhook receiver answers", "the attempt fails"),
  "WEBHOOK_POLICY.retryAfterMs": limit(
    `Waits between delivery attempts, ± ${WEBHOOK_POLICY.jitter * 100} %`,
    "the delivery fails",
    "`Retry-After` of the receiver, up to a day",
  ),
  "WEBHOOK_POLICY.disableAfterMs": limit("Time in which all attempts of a webhook fail", "the webhook is disabled"),
  "WEBHOOK_POLICY.maxEndpoints": limit("Webhooks of an account", "409 `LIMIT_REACHED`"),
  "WEBHOOK_POLICY.urlLength": limit("Length of a webhook's URL", INVALID),
  "WEBHOOK_POLICY.answerBytes": limit("Stored part of a webhook receiver's response", "the rest is not stored"),
  "WEBHOOK_POLICY.rotationMs": limit("Time in which an old signing secret still signs", "only the new secret signs"),
  "WEBHOOK_POLICY.mostFormerSecrets": limit("Old signing secrets of a webhook that still sign", "409 `LIMIT_REACHED`"),
  "WEBHOOK_POLICY.attemptsListed": limit("Attempts of a delivery in a list", "older attempts are left out"),
  "WEBHOOK_POLICY.mostNamed": limit("Spaces and people listed in an event", "the others are only counted"),
  "WEBHOOK_POLICY.hostRate": limit(
    "Webhook requests to one host from all accounts together: live, and test",
    "deliveries wait; a request that sends a `ping` or `test` returns 429",
  ),
  "WEBHOOK_POLICY.resendsAnHour": limit(
    "Events sent again to one webhook within an hour: live, and test",
    "429 `QUOTA_EXCEEDED`",
  ),
  "INVITATION_POLICY.lifeMs": limit("Time to accept an invitation of a member", "401 `INVALID_TOKEN`"),
  "SESSION_POLICY.lifeMs": limit("Lifetime of a session from its last use", "401 `SESSION_REQUIRED`"),
  "ACTING_POLICY.lifeMs": limit("Lifetime of an admin's session as another user", "401 `SESSION_REQUIRED`"),
  "TOKEN_POLICY.sign_in": limit("Lifetime of a magic link, and of an app token", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.password_reset": limit("Lifetime of a password reset link", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.web_login": limit("Lifetime of a login that waits for the bot", "401 `INVALID_TOKEN`"),
  "TOKEN_POLICY.oauth_state": limit("Time for a sign-in at an identity provider", "400 `LOGIN_STATE_INVALID`"),
  "LOGIN_POLICY.accountAtAddress": limit("Wrong passwords for an account from one IP address", "429 `LOGIN_THROTTLED`"),
  "LOGIN_POLICY.address": limit("Wrong passwords from one IP address", "429 `LOGIN_THROTTLED`"),
  "LOGIN_POLICY.accountElsewhere": limit(
    "Wrong passwords for one account from addresses where it never signed in",
    "429 `LOGIN_THROTTLED`",
  ),
  "RESET_POLICY.address": limit("Password reset links requested from one IP address", "429 `LOGIN_THROTTLED`"),
  "RESET_POLICY.email": limit("Password reset links of one account", "429 `LOGIN_THROTTLED`"),
  "FACTOR_POLICY.inOneLogin": limit("Wrong codes of a second factor in one login", "429 `LOGIN_THROTTLED`"),
  "FACTOR_POLICY.atKnownPlace": limit(
    "Wrong codes of a second factor from an address where the account has signed in before",
    "429 `LOGIN_THROTTLED`",
  ),
  "FACTOR_POLICY.elsewhere": limit(
    "Wrong codes of a second factor from all other addresses together",
    "429 `LOGIN_THROTTLED`",
  ),
  "FACTOR_POLICY.recoveryCodes": limit("Recovery codes of a second factor", "each code works once"),
  "SESSION_POLICY.mostOpen": limit("Open sessions of an account", "the least recently used session ends"),
  "SESSION_POLICY.placesTold": limit("Notices per day about a sign-in from a new place", "no further notice is sent"),
  "SESSION_POLICY.factorMs": limit("Lifetime of a login that waits for a second factor", "401 `INVALID_TOKEN`"),
  "PASSWORD_POLICY.waiting": limit("Passwords that wait for their check in one worker", "503 `UNAVAILABLE`"),
  "PASSWORD_POLICY.minLength": limit("Minimum length of a password", INVALID),
  "PASSWORD_POLICY.maxLength": limit("Maximum length of a password", INVALID),
  "LAUNCH_POLICY.maxAgeMs": limit("Age of a mini-app's launch data", "401 `INVALID_LAUNCH_DATA`"),
  "BOOKING_POLICY.maxMicros": limit("Amount of one booking of credit", INVALID),
  "BULK_POLICY.maxUsers": limit("Users of one act of an operator", INVALID),
  "BOOKING_POLICY.noteCharacters": limit("Length of a booking's note", INVALID),
  "REFUND_POLICY.openRequests": limit("Open requests for refunds of an account", "409 `LIMIT_REACHED`"),
  "BUDGET_POLICY.mostPercents": limit("Alerts at parts of a budget", INVALID),
  "BUDGET_POLICY.highestPercent": limit("Part of a budget at which an alert is sent, in percent", INVALID),
  "RESALE_POLICY.maxPrices": limit("Prices of an account", "409 `LIMIT_REACHED`"),
  "RESALE_POLICY.maxVersions": limit("Versions of one price", "409 `LIMIT_REACHED`"),
  "RESALE_POLICY.maxMultiplier": limit("Multiplier of a price", INVALID),
  "RESALE_POLICY.maxPerTurn": limit("Amount per turn of a price", INVALID),
  "RESALE_POLICY.maxRoundTo": limit("Amount to which a charge is rounded", INVALID),
  "RESALE_POLICY.maxModels": limit("Models with a multiplier of their own in a price", INVALID),
  "RESALE_POLICY.maxCredit": limit("Amount of one credit of an end user", INVALID),
  "RESALE_POLICY.noteCharacters": limit("Length of the note of an end user's credit", INVALID),
  "USAGE_KEY_POLICY.mostKeys": limit("Keys of metadata by which usage can be grouped", INVALID),
  "USAGE_KEY_POLICY.mostValues": limit("Values of metadata in a usage report", "all others are one group"),
  "ERASURE_POLICY.exportTurns": limit("Turns in a page of an export", "the page ends, with `next_cursor`"),
  "ERASURE_POLICY.exportBytes": limit("Size of a page of an export", "the page ends earlier, with `next_cursor`"),
  "ANALYTICS_POLICY.mostWindowDays": limit("`active_window_days`", INVALID),
  "LIST_POLICY.page": limit("Rows in a page of a list of the dashboard", "the rest is on the next page", "`offset`"),
  "LIST_POLICY.days": limit(
    "Days in a page of a list whose entries have days",
    "the page ends, but has at least one entry",
    "`next_offset` is the next page's `offset`",
  ),
  "LIST_POLICY.file": limit("Rows of a report that is exported as a file", "the file ends; request a shorter range"),
  "REPORT_FILE_POLICY.rowsAtOnce": limit(
    "Rows of the CSV of a report whose entries have days, if a request answers with it",
    "202: a callback writes the file",
    "read the file's progress until it is ready",
  ),
  "REPORT_FILE_POLICY.rows": limit("Rows of such a file", "422; request a shorter range"),
  "REPORT_FILE_POLICY.perOperator": limit("Such files of an operator that have not expired", "409 `LIMIT_REACHED`"),
  "REPORT_FILE_POLICY.keptMs": limit("Time for which such a file is kept", "404; request the report again"),
  "REPORT_POLICY.spaceHoursDays": limit("Range of the report of hourly costs by space", INVALID),
  "PROVIDER_POLICY.maxAccounts": limit("Accounts at a provider that one model call tries", "the call fails"),
  "PROVIDER_POLICY.loginMs": limit("Time for a login to an account at a provider", "409 `LOGIN_EXPIRED`"),
}

/** The number of a policy as text. The suffix of its name is the unit. */
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
  if (/[bB]ytes$/.test(name)) return sizeInWords(value)
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
