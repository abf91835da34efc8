import { readFileSync } from "node:fs"
import { join } from "node:path"
import { ERROR_CODES, type ErrorCode } from "../base/errors.ts"
import { DETAILS_EXAMPLES } from "../quotas/refusal.ts"
import { FIRST_CALL_BOUNDS } from "../turns/first-call.ts"
import type { BalanceReached, CapReached } from "../webhooks/account-events.ts"
import { limitsTable } from "./limits-table.ts"

const QUOTA_EXCEEDED = {
  code: "QUOTA_EXCEEDED",
  message:
    "The end user's daily limit of 0.5 USD is reached: 0.3 USD spent, 0.2 reserved by turns under way. It resets at 2026-01-16T00:00:00.000Z.",
  details: DETAILS_EXAMPLES.QUOTA_EXCEEDED,
  retryable: true,
  request_id: "req_01jd3k9m2x4t8r5w6y7z0a1b2c",
}

const CAP_REACHED: CapReached = {
  cap: "end_user_daily",
  source: "account",
  percent: 80,
  limit_usd: 0.5,
  spent_usd: 0.4127,
  reserved_usd: 0.25,
  resets_at: "2026-01-16T00:00:00.000Z",
  key_id: null,
  end_user_ref: "customer-42",
  space: null,
}

const BALANCE_LOW: BalanceReached = { balance_usd: 0.9871, held_usd: 0.25, available_usd: 0.7371, threshold_usd: 1 }

const shown = (value: unknown) => JSON.stringify(value, null, 2)

/** The values of `{{name}}` in a guide. They come from typed code, so guides cannot contradict it. */
const INSERTS: Record<string, string> = {
  quota_refusal: `HTTP/1.1 429\nRetry-After: 30600\n\n${shown({ error: QUOTA_EXCEEDED })}`,
  cap_reached: shown(CAP_REACHED),
  balance_low: shown(BALANCE_LOW),
  unlisted_server: String(FIRST_CALL_BOUNDS.server),
  open_reply: String(FIRST_CALL_BOUNDS.reply),
  limits: limitsTable(),
}

/** The guide in `guides/NAME.md`: its first line is its title. `{{codes}}` in it is a table of `codes`. */
export function readGuide(name: string, codes: readonly ErrorCode[]): { name: string; description: string } {
  const inserts: Record<string, string> = { ...INSERTS, codes: codeTable(codes) }
  const [title = "", ...lines] = readFileSync(join(import.meta.dirname, "guides", `${name}.md`), "utf8").split("\n")
  const description = lines.join("\n").replace(/\{\{(\w+)\}\}/g, (_match, insert: string) => {
    const text = inserts[insert]
    if (text === undefined) throw new Error(`${name}.md: src/reference/guides.ts has no insert "${insert}"`)
    return text
  })
  return { name: title.replace(/^# /, ""), description: description.trim() }
}

/** A table of codes by status, with cause and cure. */
function codeTable(codes: readonly ErrorCode[]): string {
  const rows = codes
    .map((code) => ({ code, ...ERROR_CODES[code] }))
    .toSorted((a, b) => a.status - b.status)
    .map(({ code, status, retryable, cause, cure }) => {
      const kind = `\`${code}\`<br>${status}${retryable ? ", retryable" : ""}`
      return `| ${kind} | ${`${cause} ${cure}`.replaceAll("|", "\\|")} |`
    })
  return ["| Code | Cause and cure |", "| --- | --- |", ...rows].join("\n")
}
