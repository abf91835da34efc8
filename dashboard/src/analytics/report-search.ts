import { getUsageBreakdownQuery } from "../api/rules.ts"
import type { QueryWord } from "../api/words.ts"
import { type ReportedSearch, reportedIn } from "../operator/report-range.tsx"
import { countIn, oneIn, type RawSearch, textIn } from "../shell/search.ts"

const MEASURES = ["billed_cost_usd", "turns", "model_calls", "tokens_input", "tokens_cached", "tokens_output"] as const
export type Measure = (typeof MEASURES)[number]

/** The search parameters of all report pages. Each page uses some of them. */
export interface ReportSearch extends ReportedSearch {
  limit?: number
  tab?: string
  measure?: Measure
  dimension?: QueryWord<"getUsageBreakdown", "dimension">
  user_id?: number
  chat_key?: string
  space?: string
  subscription_id?: string
  all_time?: "true"
  window?: number
}

/** Reads the search parameters. Missing and invalid values are left out. */
export function readReportSearch(search: RawSearch): ReportSearch {
  const read = {
    ...reportedIn(search),
    limit: countIn(search.limit) || undefined,
    tab: textIn(search.tab),
    measure: oneIn(search.measure, MEASURES),
    dimension: oneIn(search.dimension, getUsageBreakdownQuery.dimension.words),
    user_id: countIn(search.user_id) || undefined,
    chat_key: textIn(search.chat_key),
    space: textIn(search.space),
    subscription_id: textIn(search.subscription_id),
    all_time: oneIn(search.all_time, ["true"]),
    window: countIn(search.window) || undefined,
  }
  return Object.fromEntries(Object.entries(read).filter(([, value]) => value !== undefined)) as ReportSearch
}
