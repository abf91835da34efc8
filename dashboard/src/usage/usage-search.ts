import { choicesOf, everyOf, type QueryWord } from "../api/words.ts"
import { countIn, instantIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"
import { firstOfDays } from "../ui/days.ts"

export type UsageGroupBy = QueryWord<"getUsage", "group_by">

export const GROUPS = choicesOf<UsageGroupBy>({
  day: "By day",
  model: "By model",
  space: "By space",
  end_user_ref: "By end user",
  key: "By key",
})

export const LEDGER_REASONS = everyOf<QueryWord<"listLedger", "reason">>()([
  "usage",
  "space_usage",
  "admin_grant",
  "admin_action",
  "operator_topup",
  "signup_credit",
  "referral_signup_credit",
  "manual_topup",
  "credit_purchase",
  "referral_credit_commission",
])

export const LEDGER_BUCKETS = everyOf<QueryWord<"listLedger", "bucket">>()(["free", "bonus", "paid", "spent"])

interface UsageSearch {
  group_by?: UsageGroupBy
  days?: number
  from?: string
  to?: string
  space?: string
  model?: string
  key?: string
  end_user_ref?: string
  cursor?: string
}

export const readUsageSearch = (search: RawSearch): UsageSearch => ({
  group_by: oneIn(
    search.group_by,
    GROUPS.map(([name]) => name),
  ),
  days: countIn(search.days) || undefined,
  from: instantIn(search.from),
  to: instantIn(search.to),
  space: textIn(search.space),
  model: textIn(search.model),
  key: textIn(search.key),
  end_user_ref: textIn(search.end_user_ref),
  cursor: textIn(search.cursor),
})

const listed = (value: string | undefined) => (value === undefined ? undefined : [value])

/** The filters of a report. Instants of the URL win over its days. */
export function usageQueryOf(search: UsageSearch & { test?: true }) {
  const { days = 30, from, to } = search
  return {
    from: from ?? (to ? undefined : firstOfDays(Math.min(days, 365))),
    to,
    space: listed(search.space),
    model: listed(search.model),
    key: listed(search.key),
    end_user_ref: listed(search.end_user_ref),
    test: search.test && ("true" as const),
  }
}

interface LedgerSearch {
  reason?: (typeof LEDGER_REASONS)[number]
  bucket?: (typeof LEDGER_BUCKETS)[number]
  turn?: string
  created_after?: string
  created_before?: string
  offset?: number
}

export const readLedgerSearch = (search: RawSearch): LedgerSearch => ({
  reason: oneIn(search.reason, LEDGER_REASONS),
  bucket: oneIn(search.bucket, LEDGER_BUCKETS),
  turn: textIn(search.turn),
  created_after: instantIn(search.created_after),
  created_before: instantIn(search.created_before),
  offset: countIn(search.offset),
})
