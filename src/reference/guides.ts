import { readFileSync } from "node:fs"
import { join } from "node:path"
import { AI_SDK_PACKAGE, CLIENT_PACKAGE, COMMAND, DEV_PACKAGE, PYTHON_MODULE } from "../../client/src/names.ts"
import { FORMAT_POLICY } from "../agent-config/policies.ts"
import { THINKING_BUDGETS } from "../anthropic/request-fields.ts"
import { ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import { countInWords, sizeInWords, timeInWords } from "../base/in-words.ts"
import { USD_DECIMALS, usdText } from "../base/money.ts"
import { PROFILE_MOST } from "../base/profile.ts"
import { MAX_VALUES } from "../base/storable.ts"
import { EXPORT_POLICY, USAGE_KEY_POLICY } from "../billing/policies.ts"
import { DIALECT_POLICY } from "../dialects/policies.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { MAX_FAULTS } from "../http/check-input.ts"
import { MAX_JSON_BYTES } from "../http/json-bodies.ts"
import { DEPRECATION_POLICY } from "../http/policies.ts"
import { OFFSET_PAGE_MOST, PAGE_SIZE } from "../http/query.ts"
import { PORTAL_POLICY } from "../portal/policies.ts"
import { DETAILS_EXAMPLES } from "../quotas/refusal.ts"
import { EXACT_DECIMALS } from "../receipts/end-user-receipt.ts"
import { RECEIPT_POLICY } from "../receipts/policies.ts"
import { SETTINGS } from "../settings/registry.ts"
import { LAUNCH_POLICY, SESSION_POLICY, TOKEN_POLICY } from "../sign-in/policies.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { SPAN_EXPORT_POLICY, TRACE_POLICY } from "../traces/policies.ts"
import { FIRST_CALL_BOUNDS } from "../turns/first-call.ts"
import { MESSAGE_POLICY, TURN_POLICY, WATCH_POLICY } from "../turns/policies.ts"
import { declarationOf, EVENT_NAMES } from "../webhooks/event-types.ts"
import { RETRY_TIMES, WEBHOOK_POLICY } from "../webhooks/policies.ts"
import { DIALECT_CLIENTS } from "./client-sample.ts"
import { exampleData } from "./event-webhooks.ts"
import { limitsTables } from "./limits-table.ts"
import { openAiFieldsTable } from "./openai-fields.ts"
import { AI_SDK_PATH, CLIENT_PATH, PYTHON_CLIENT_PATH } from "./served-packages.ts"
import { usageNamesTable } from "./usage-names.ts"

const QUOTA_EXCEEDED = {
  code: "QUOTA_EXCEEDED",
  message:
    "The end user's daily limit of 0.5 USD is reached: 0.3 USD spent, 0.2 reserved by turns under way. It resets at 2026-01-16T00:00:00.000Z.",
  details: DETAILS_EXAMPLES.QUOTA_EXCEEDED,
  retryable: true,
  request_id: "req_01jd3k9m2x4t8r5w6y7z0a1b2c",
}

const shown = (value: unknown) => JSON.stringify(value, null, 2)

/** The first lines of a sample with the client. */
export const CLIENT_START = `import { Turnpike } from "${CLIENT_PACKAGE}"

const turnpike = new Turnpike({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseUrl: process.env.TURNPIKE_BASE_URL,
})
`

/** The first lines of a sample with OpenAI's client. */
const OPENAI_START = `import OpenAI from "openai"

const openai = new OpenAI({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseURL: process.env.TURNPIKE_BASE_URL + "/v1/openai",
})
`

/** The first lines of a sample with Anthropic's client. */
const ANTHROPIC_START = `import Anthropic from "@anthropic-ai/sdk"

const anthropic = new Anthropic({
  apiKey: process.env.TURNPIKE_API_KEY,
  baseURL: process.env.TURNPIKE_BASE_URL + "/v1/anthropic",
})
`

/** The first lines of samples with other services' clients, by package. */
export const DIALECT_STARTS: Readonly<Record<string, string>> = {
  [DIALECT_CLIENTS.openai.label]: OPENAI_START,
  [DIALECT_CLIENTS.anthropic.label]: ANTHROPIC_START,
}

/** The first lines of a sample with the Python client. */
export const PYTHON_START = `import os
from ${PYTHON_MODULE} import Turnpike

turnpike = Turnpike(
    api_key=os.environ["TURNPIKE_API_KEY"],
    base_url=os.environ["TURNPIKE_BASE_URL"],
)
`

/** A request in Python with its standard library, for samples that OpenAI's package would send. */
const PYTHON_CALL = `import json, os, urllib.request, uuid

def call(method, path, body=None):
    request = urllib.request.Request(
        os.environ["TURNPIKE_BASE_URL"] + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={
            "Authorization": "Bearer " + os.environ["TURNPIKE_API_KEY"],
            "Content-Type": "application/json",
            "Idempotency-Key": str(uuid.uuid4()),
        },
    )
    with urllib.request.urlopen(request, timeout=60) as response:
        return json.load(response)`

/** The values for `{{name}}` in guides. They come from typed code, so guides cannot contradict it. */
const INSERTS: Record<string, string> = {
  client: CLIENT_START,
  openai: OPENAI_START,
  anthropic: ANTHROPIC_START,
  client_name: CLIENT_PACKAGE,
  ai_sdk_name: AI_SDK_PACKAGE,
  dev_name: DEV_PACKAGE,
  python_module: PYTHON_MODULE,
  command: COMMAND,
  client_package: CLIENT_PATH,
  ai_sdk_package: AI_SDK_PATH,
  python_client: PYTHON_START,
  python_call: PYTHON_CALL,
  python_package: PYTHON_CLIENT_PATH,
  quota_refusal: `HTTP/1.1 429\nRetry-After: 30600\n\n${shown({ error: QUOTA_EXCEEDED })}`,
  event_types: eventTable(),
  cap_reached: shown(exampleData("cap.reached")),
  balance_low: shown(exampleData("balance.low")),
  unlisted_server: String(FIRST_CALL_BOUNDS.server),
  open_reply: String(FIRST_CALL_BOUNDS.reply),
  profile_keys: String(PROFILE_MOST.keys),
  profile_bytes: String(PROFILE_MOST.bytes),
  // Variables of instructions, which a guide shows as they are.
  now: "{{now}}",
  today: "{{today}}",
  identity_leeway: timeInWords(TOOL_POLICY.identityLeewaySeconds * 1000),
  tools_listed: String(FIRST_CALL_BOUNDS.search_above),
  tools_window: `${FIRST_CALL_BOUNDS.search_share * 100} %`,
  tools_per_search: String(TOOL_POLICY.toolsPerSearch),
  tools_per_turn: String(TOOL_POLICY.foundPerTurn),
  mcp_connect: timeInWords(TOOL_POLICY.mcpConnectMs),
  mcp_pause: timeInWords(TOOL_POLICY.mcpPauseSeconds[0] * 1000),
  owner_limits: limitsTables("owners"),
  dashboard_limits: limitsTables("members", "operators"),
  usd_decimals: String(USD_DECIMALS),
  exact_decimals: String(EXACT_DECIMALS),
  json_body: sizeInWords(MAX_JSON_BYTES),
  caller_tools: String(MESSAGE_POLICY.tools),
  message_bytes: sizeInWords(MESSAGE_POLICY.bytes),
  loaded_file: sizeInWords(FILE_POLICY.loadBytes),
  format_bytes: sizeInWords(FORMAT_POLICY.bytes),
  turn_body: sizeInWords(MESSAGE_POLICY.bodyBytes),
  json_values: countInWords(MAX_VALUES),
  file: sizeInWords(FILE_POLICY.maxBytes),
  faults: String(MAX_FAULTS),
  chat_fields: openAiFieldsTable("chat"),
  response_fields: openAiFieldsTable("responses"),
  usage_names: usageNamesTable(),
  low_budget: countInWords(THINKING_BUDGETS.low),
  medium_budget: countInWords(THINKING_BUDGETS.medium),
  first_try: timeInWords(DIALECT_POLICY.firstTryMs),
  waiting_stream: timeInWords(DIALECT_POLICY.waitingStreamMs),
  page: String(PAGE_SIZE.usual),
  page_most: String(PAGE_SIZE.most),
  dashboard_page_most: String(OFFSET_PAGE_MOST),
  magic_link: timeInWords(TOKEN_POLICY.sign_in.ttlMs),
  launch_data: timeInWords(LAUNCH_POLICY.maxAgeMs),
  session: timeInWords(SESSION_POLICY.lifeMs),
  first_hold: usdText(TURN_POLICY.defaultHold),
  usage_keys: String(USAGE_KEY_POLICY.mostKeys),
  usage_values: USAGE_KEY_POLICY.mostValues.toLocaleString("en"),
  most_shown: String(TURN_POLICY.providerMessageLength),
  most_model_calls: String(TURN_POLICY.maxModelCalls),
  watch_seconds: timeInWords(WATCH_POLICY.mostSeconds * 1000),
  portal_facts: String(PORTAL_POLICY.profileKeys),
  portal_seconds: timeInWords(PORTAL_POLICY.mostSeconds * 1000),
  portal_days: String(PORTAL_POLICY.days),
  portal_contrast: String(PORTAL_POLICY.contrast),
  trace_settles: timeInWords(SPAN_EXPORT_POLICY.settlesMs),
  trace_keeps: timeInWords(TRACE_POLICY.keepsMs),
  trace_retry: timeInWords(SPAN_EXPORT_POLICY.longestRetryMs),
  trace_text: TRACE_POLICY.text.toLocaleString("en"),
  statement_settles: timeInWords(RECEIPT_POLICY.settlesMs),
  export_closes: timeInWords(EXPORT_POLICY.closeAfterMs),
  notice_days: String(DEPRECATION_POLICY.noticeDays),
  webhook_answer: timeInWords(WEBHOOK_POLICY.timeoutMs),
  webhook_rotation: timeInWords(WEBHOOK_POLICY.rotationMs),
  webhook_retries: RETRY_TIMES,
  webhook_failing: timeInWords(WEBHOOK_POLICY.disableAfterMs),
  ...daysKept(),
}

interface Guide {
  /** The title. */
  name: string
  /** One sentence for lists of pages, without links. */
  about: string
  /** The text in Markdown. */
  description: string
}

/**
 * The guide in `guides/NAME.md`. Its first line is the title, and its first paragraph begins with what it is about.
 * `{{codes}}` becomes tables of `codes`.
 */
export function readGuide(name: string, codes: readonly ErrorCode[]): Guide {
  const inserts: Record<string, string> = { ...INSERTS, codes: codeTables(codes) }
  const [title = "", ...lines] = readFileSync(join(import.meta.dirname, "guides", `${name}.md`), "utf8").split("\n")
  const text = lines
    .join("\n")
    .replace(/\{\{(\w+)\}\}/g, (_match, insert: string) => {
      const value = inserts[insert]
      if (value === undefined) throw new Error(`${name}.md: src/reference/guides.ts has no insert "${insert}"`)
      return value
    })
    .trim()
  const [about = ""] =
    /^[^.]+\./.exec(
      text
        .replace(/^<!--.*?-->\s*/, "")
        .replace(/\s+/g, " ")
        .replace(/\[([^\]]+)\]\([^)]+\)/g, "$1")
        .replaceAll("`", ""),
    ) ?? []
  return { name: title.replace(/^# /, ""), about, description: text }
}

/** Names of the statuses of errors (RFC 9110). */
const STATUSES: Record<number, string> = {
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  408: "Request Timeout",
  409: "Conflict",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  500: "Internal Server Error",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
}

/** Error codes as Markdown, a table for each status, with cause and cure. */
function codeTables(codes: readonly ErrorCode[]): string {
  const rows = codes.map((code) => ({ code, ...ERROR_CODES[code] })).toSorted((a, b) => a.status - b.status)
  const statuses = [...new Set(rows.map(({ status }) => status))]
  return statuses
    .map((status) => {
      const lines = rows
        .filter((row) => row.status === status)
        .map(({ code, retryable, cause, cure }) => {
          const words = [cause, cure].map((text) => text.replaceAll("|", "\\|"))
          return `| \`${code}\` | ${words.join(" | ")} | ${retryable ? "yes" : "no"} |`
        })
      const head = ["| Code | Cause | Cure | Retry |", "| --- | --- | --- | --- |"]
      return [
        `## ${status} ${STATUSES[status] ?? ""}`,
        "",
        `<!-- rows: error status ${status} -->`,
        "",
        ...head,
        ...lines,
      ].join("\n")
    })
    .join("\n\n")
}

/** The days for which data is kept, by the names of their settings. */
function daysKept(): Record<string, string> {
  const named = Object.entries(SETTINGS).filter(([key]) => key.endsWith("_days") && key !== "trial_days")
  return Object.fromEntries(named.map(([key, { default: days }]) => [key, countInWords(days as number)]))
}

/** A Markdown table of event types. Types with the same description share a row. */
function eventTable(): string {
  const rows: { types: string[]; when: string }[] = []
  for (const type of EVENT_NAMES) {
    const { when } = declarationOf(type)
    if (rows.at(-1)?.when === when) rows.at(-1)?.types.push(`\`${type}\``)
    else rows.push({ types: [`\`${type}\``], when })
  }
  return [
    "| Type | When |",
    "| --- | --- |",
    ...rows.map(({ types, when }) => `| ${types.join(", ")} | ${when} |`),
  ].join("\n")
}
