import { isFields } from "../base/fields.ts"
import { endsOf, microsOf, reportedCount, reportedName, requireUsd, resultsOf } from "./report-day.ts"
import type { ReportFormat } from "./report-format.ts"

/** A line of a model's tokens, such as "gpt-5-mini-2025-08-07, cached input". */
const TOKENS_OF_MODEL = /^([^,|]+), [^,]*\b(?:in|out)put\b/

/**
 * OpenAI's usage and costs of an organisation: amounts are in USD.
 * https://cookbook.openai.com/examples/completions_usage_api
 */
export const OPENAI_REPORT: ReportFormat = {
  baseUrl: "https://api.openai.com/v1",
  units: ["model_calls", "tokens_input", "tokens_cached", "tokens_output", "credit_micros"],
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  reports(day, scopeId) {
    const { starts, ends } = endsOf(day)
    const seconds = (at: Date) => String(at.getTime() / 1000)
    const range = { start_time: seconds(starts), end_time: seconds(ends), bucket_width: "1d", limit: "1" }
    const ofScope: [string, string][] = scopeId === null ? [] : [["project_ids", scopeId]]
    const query = (group: string): [string, string][] => [...Object.entries(range), ["group_by", group], ...ofScope]
    return {
      usage: ["/organization/usage/completions", query("model")],
      costs: ["/organization/costs", query("line_item")],
    }
  },
  read({ usage, costs }) {
    return {
      usage: resultsOf(usage).map((result) => ({
        model: reportedName(result.model) ?? "",
        sums: {
          model_calls: reportedCount(result.num_model_requests),
          tokens_input: reportedCount(result.input_tokens),
          tokens_cached: reportedCount(result.input_cached_tokens),
          tokens_output: reportedCount(result.output_tokens),
        },
      })),
      costs: resultsOf(costs).map(({ amount, line_item }) => {
        const { value, currency } = isFields(amount) ? amount : {}
        requireUsd(currency)
        const [, model = null] = TOKENS_OF_MODEL.exec(reportedName(line_item) ?? "") ?? []
        return { model, micros: microsOf(value) }
      }),
    }
  },
}
