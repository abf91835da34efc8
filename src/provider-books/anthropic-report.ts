import { type Fields, isFields } from "../base/fields.ts"
import { endsOf, microsOf, reportedCount, reportedName, requireUsd, resultsOf } from "./report-day.ts"
import type { ReportFormat } from "./report-format.ts"

/**
 * Anthropic's Usage and Cost Admin API: amounts are decimal texts in cents. It does not count requests.
 * https://platform.claude.com/docs/en/api/admin/cost_report/retrieve
 */
export const ANTHROPIC_REPORT: ReportFormat = {
  baseUrl: "https://api.anthropic.com/v1",
  units: ["tokens_input", "tokens_cached", "tokens_cache_written", "tokens_output", "credit_micros"],
  headers: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  reports(day, scopeId) {
    const { starts, ends } = endsOf(day)
    const range = { starting_at: starts.toISOString(), ending_at: ends.toISOString(), bucket_width: "1d", limit: "1" }
    const ofScope: [string, string][] = scopeId === null ? [] : [["workspace_ids[]", scopeId]]
    return {
      usage: ["/organizations/usage_report/messages", [...Object.entries(range), ["group_by[]", "model"], ...ofScope]],
      costs: [
        "/organizations/cost_report",
        [...Object.entries(range), ["group_by[]", "workspace_id"], ["group_by[]", "description"]],
      ],
    }
  },
  read({ usage, costs }, scopeId) {
    const isOwn = ({ workspace_id }: Fields) => scopeId === null || workspace_id === scopeId
    return {
      usage: resultsOf(usage).map((result) => ({ model: reportedName(result.model) ?? "", sums: tokensOf(result) })),
      costs: resultsOf(costs)
        .filter(isOwn)
        .map(({ amount, currency, model }) => {
          requireUsd(currency)
          return { model: reportedName(model), micros: microsOf(amount, 100) }
        }),
    }
  },
}

function tokensOf({ uncached_input_tokens, cache_read_input_tokens, cache_creation, output_tokens }: Fields) {
  const written = isFields(cache_creation) ? cache_creation : {}
  const tokens_cached = reportedCount(cache_read_input_tokens)
  const tokens_cache_written =
    reportedCount(written.ephemeral_5m_input_tokens) + reportedCount(written.ephemeral_1h_input_tokens)
  return {
    tokens_input: reportedCount(uncached_input_tokens) + tokens_cached + tokens_cache_written,
    tokens_cached,
    tokens_cache_written,
    tokens_output: reportedCount(output_tokens),
  }
}
