import { isFields } from "../base/fields.ts"
import { microsOf, ReportError, reportedCount, reportedList, reportedName } from "./report-day.ts"
import type { ReportFormat } from "./report-format.ts"

/**
 * OpenRouter's activity of a completed day (UTC), and the cost of a single generation.
 * https://openrouter.ai/docs/agent-sdk/typescript/models/activityitem
 * https://openrouter.ai/docs/api-reference/get-a-generation
 */
export const OPENROUTER_REPORT: ReportFormat = {
  baseUrl: "https://openrouter.ai/api/v1",
  units: ["model_calls", "tokens_input", "tokens_output", "credit_micros"],
  headers: (key) => ({ authorization: `Bearer ${key}` }),
  reports: (day) => ({ usage: ["/activity", [["date", day]]] }),
  read({ usage }) {
    const rows = usage.flatMap(({ data }) => reportedList(data))
    return {
      usage: rows.map(({ model, requests, prompt_tokens, completion_tokens }) => ({
        model: reportedName(model) ?? "",
        sums: {
          model_calls: reportedCount(requests),
          tokens_input: reportedCount(prompt_tokens),
          tokens_output: reportedCount(completion_tokens),
        },
      })),
      costs: rows.map(({ model, usage: spent }) => ({ model: reportedName(model), micros: microsOf(spent) })),
    }
  },
  single: {
    path: (responseId) => ["/generation", [["id", responseId]]],
    read: ({ data }) => {
      if (!isFields(data)) throw new ReportError("unknown_form")
      return microsOf(data.total_cost)
    },
  },
}
