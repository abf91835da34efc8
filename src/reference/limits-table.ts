import { FORMAT_POLICY } from "../agent-config/policies.ts"
import { ANALYTICS_POLICY, REPORT_POLICY } from "../analytics/policies.ts"
import { COUNTED, type CountedCap } from "../base/counted.ts"
import { usdText } from "../base/money.ts"
import { LIST_POLICY } from "../base/policies.ts"
import { BOOKING_POLICY, REFUND_POLICY } from "../billing/policies.ts"
import { DIALECT_POLICY } from "../dialects/policies.ts"
import { ERASURE_POLICY } from "../end-users/policies.ts"
import { FILE_POLICY } from "../files/policies.ts"
import { MAX_FAULTS } from "../http/check-input.ts"
import { MAX_JSON_BYTES, MAX_OPEN_BYTES, MAX_SERVERS_BYTES } from "../http/json-bodies.ts"
import { BODY_POLICY, DOORS, UNKNOWN_KEYS } from "../http/policies.ts"
import { INVITATION_POLICY } from "../members/policies.ts"
import { PROVIDER_POLICY } from "../providers/policies.ts"
import { CAPS } from "../quotas/caps.ts"
import { REPORT_FILE_POLICY } from "../report-files/policies.ts"
import { SETTINGS } from "../settings/registry.ts"
import {
  ACTING_POLICY,
  FACTOR_POLICY,
  LAUNCH_POLICY,
  LOGIN_POLICY,
  PASSWORD_POLICY,
  RESET_POLICY,
  SESSION_POLICY,
  TOKEN_POLICY,
} from "../sign-in/policies.ts"
import { SPACE_POLICY } from "../spaces/policies.ts"
import { TOOL_POLICY } from "../tools/policies.ts"
import { LOOK_POLICY, MESSAGE_POLICY, STREAM_POLICY, TURN_POLICY } from "../turns/policies.ts"
import { WEBHOOK_POLICY } from "../webhooks/policies.ts"
import { SHOWN_LIMITS, shownLimit } from "./limits.ts"

const POLICIES: Record<string, Record<string, unknown>> = {
  ANALYTICS_POLICY,
  LIST_POLICY,
  REPORT_POLICY,
  REPORT_FILE_POLICY,
  BOOKING_POLICY,
  REFUND_POLICY,
  ERASURE_POLICY,
  FILE_POLICY,
  FORMAT_POLICY,
  MESSAGE_POLICY,
  DIALECT_POLICY,
  PROVIDER_POLICY,
  ACTING_POLICY,
  INVITATION_POLICY,
  LAUNCH_POLICY,
  LOGIN_POLICY,
  PASSWORD_POLICY,
  SESSION_POLICY,
  TOKEN_POLICY,
  SPACE_POLICY,
  TOOL_POLICY,
  STREAM_POLICY,
  TURN_POLICY,
  WEBHOOK_POLICY,
  BODY_POLICY,
  FACTOR_POLICY,
  LOOK_POLICY,
  RESET_POLICY,
}

const MEMBERS_DEFAULT = `${usdText(SETTINGS.members_daily_credit_micros.default)} USD`

/** The limits per account on counts and sizes: the setting with the limit, and the error beyond it. */
const COUNTS_SET = {
  open_test_turns: ["max_open_test_turns", "429 `QUOTA_EXCEEDED`"],
  daily_test_turns: ["max_daily_test_turns", "429 `QUOTA_EXCEEDED`"],
  keys: ["max_keys", "409 `LIMIT_REACHED`"],
  daily_key_changes: ["max_daily_key_changes", "429 `QUOTA_EXCEEDED`"],
  members: ["max_members", "409 `LIMIT_REACHED`"],
  daily_invitations: ["max_daily_invitations", "429 `QUOTA_EXCEEDED`"],
  end_users: ["max_end_users", "409 `LIMIT_REACHED`"],
  spaces: ["max_spaces", "409 `LIMIT_REACHED`"],
  config_bytes: ["max_config_bytes", "409 `LIMIT_REACHED`"],
  files: ["max_files", "409 `LIMIT_REACHED`"],
  file_bytes: ["max_file_bytes", "409 `LIMIT_REACHED`"],
} as const satisfies Partial<Record<CountedCap, readonly [keyof typeof SETTINGS, string]>>

const rate = ({ burst, everyMs }: { burst: number; everyMs: number }) =>
  `${burst} at once, then one in ${shownLimit("everyMs", everyMs)}`

/** A row: the limited quantity, its default, where it is set, and the result beyond it. */
export type LimitRow = [what: string, value: string, set: string, beyond: string]

/** The readers of a limit: callers of `/v1`, users who sign in to the web app, or operators. */
type Reader = "owners" | "members" | "operators"

interface LimitGroup {
  title: string
  reader: Reader
  /** Words for the search. */
  words: string
  rows: LimitRow[]
}

const TOO_LARGE = "413 `PAYLOAD_TOO_LARGE`"

const capRows = (): LimitRow[] => [
  ["Spending: the account's balance", "the credit that was booked", "a top-up", "402 `INSUFFICIENT_CREDITS`"],
  ...Object.entries(CAPS).map(
    ([name, { words, setBy }]): LimitRow => [
      `Spending: ${words} (\`${name}\`)`,
      // Only `members_daily` has a default.
      name === "members_daily" ? MEMBERS_DEFAULT : "none",
      setBy,
      "429 `QUOTA_EXCEEDED`",
    ],
  ),
]

const countRows = (): LimitRow[] =>
  Object.entries(COUNTS_SET).map(([cap, [setting, beyond]]) => [
    `Per account: ${COUNTED[cap as CountedCap]} (\`${cap}\`)`,
    shownLimit(cap.endsWith("bytes") ? "Bytes" : cap, SETTINGS[setting].default),
    `the setting \`${setting}\``,
    beyond,
  ])

const bodyRows = (): LimitRow[] => [
  ["A JSON body", shownLimit("Bytes", MAX_JSON_BYTES), "", TOO_LARGE],
  ["Validation errors listed in a response", String(MAX_FAULTS), "", "the others are left out"],
  ["Requests with unknown API keys from one IP address", rate(UNKNOWN_KEYS), "", "429 `TOO_MANY_UNKNOWN_KEYS`"],
]

const signInRows = (): LimitRow[] => [
  ["A JSON body of a request without credentials", shownLimit("Bytes", MAX_OPEN_BYTES), "", TOO_LARGE],
  ...Object.entries(DOORS).map(
    ([operation, door]): LimitRow => [
      `\`${operation}\` from one IP address: ${door.counts === "tries" ? "requests" : "rejected requests"}`,
      rate(door),
      "",
      "429 `LOGIN_THROTTLED`",
    ],
  ),
]

const serverRows = (): LimitRow[] => [
  ["A JSON body from another server, sent with its secret", shownLimit("Bytes", MAX_SERVERS_BYTES), "", TOO_LARGE],
]

/** The groups of the tables: their readers, the policies whose limits they contain, and other rows. */
const GROUPS: { title: string; reader: Reader; words: string; policies: string[]; rows?: () => LimitRow[] }[] = [
  { title: "Spending", reader: "owners", words: "money budget cap", policies: [], rows: capRows },
  { title: "Files", reader: "owners", words: "upload attachment", policies: ["FILE_POLICY"] },
  {
    title: "Turns",
    reader: "owners",
    words: "timeout duration steps history",
    policies: ["TURN_POLICY", "MESSAGE_POLICY", "FORMAT_POLICY"],
  },
  { title: "Spaces and tools", reader: "owners", words: "mcp secrets", policies: ["SPACE_POLICY", "TOOL_POLICY"] },
  { title: "Webhooks", reader: "owners", words: "delivery retry endpoint", policies: ["WEBHOOK_POLICY"] },
  {
    title: "Requests and streams",
    reader: "owners",
    words: "rate body payload long poll",
    policies: ["BODY_POLICY", "LOOK_POLICY", "STREAM_POLICY", "DIALECT_POLICY"],
    rows: bodyRows,
  },
  {
    title: "Numbers per account",
    reader: "owners",
    words: "count quota",
    policies: ["ERASURE_POLICY"],
    rows: countRows,
  },
  {
    title: "Sign-in and sessions",
    reader: "members",
    words: "login password link",
    policies: [
      "SESSION_POLICY",
      "TOKEN_POLICY",
      "LOGIN_POLICY",
      "RESET_POLICY",
      "FACTOR_POLICY",
      "PASSWORD_POLICY",
      "LAUNCH_POLICY",
      "INVITATION_POLICY",
    ],
    rows: signInRows,
  },
  {
    title: "Lists of the dashboard",
    reader: "members",
    words: "page rows days csv",
    policies: ["LIST_POLICY", "REPORT_FILE_POLICY"],
  },
  {
    title: "Operators",
    reader: "operators",
    words: "admin",
    policies: [
      "ACTING_POLICY",
      "BOOKING_POLICY",
      "REFUND_POLICY",
      "ANALYTICS_POLICY",
      "REPORT_POLICY",
      "PROVIDER_POLICY",
    ],
    rows: serverRows,
  },
]

function policyRows(wanted: string[]): LimitRow[] {
  return Object.entries(SHOWN_LIMITS).flatMap(([key, { what, beyond, set }]): LimitRow[] => {
    const [policy = "", name = ""] = key.split(".")
    if (!wanted.includes(policy)) return []
    const value = POLICIES[policy]?.[name]
    if (value === undefined) throw new Error(`src/reference/limits.ts: POLICIES has no ${key}`)
    return [[what, shownLimit(name, value), set ?? "", beyond]]
  })
}

/** All groups with their rows. */
export const limitGroups = (): LimitGroup[] =>
  GROUPS.map(({ policies, rows, ...group }) => ({ ...group, rows: [...(rows?.() ?? []), ...policyRows(policies)] }))

/** The groups of some readers as Markdown, a table for each group. */
export function limitsTables(...readers: Reader[]): string {
  return limitGroups()
    .filter(({ reader }) => readers.includes(reader))
    .map(({ title, words, rows }) => {
      const lines = rows.map((row) => `| ${row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`)
      const head = ["| What | Default | Set by | Beyond the limit |", "| --- | --- | --- | --- |"]
      return [`## ${title}`, "", `<!-- rows: limit maximum most how many ${words} -->`, "", ...head, ...lines].join(
        "\n",
      )
    })
    .join("\n\n")
}
