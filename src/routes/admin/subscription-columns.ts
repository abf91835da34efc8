import type * as z from "zod"
import type { CsvColumns } from "../../http/csv.ts"
import type { subscriptionUsageSchema } from "../../subscriptions/report-subscriptions.ts"

type Used = z.infer<typeof subscriptionUsageSchema>["items"][number]
type UsedDay = Omit<Used, "days" | "billed_usd"> & Used["days"][number]

export const usedDays = ({ subscription_id, user_id, plan, days }: Used): UsedDay[] =>
  days.map((day) => ({ subscription_id, user_id, plan, ...day }))

/** The columns of the usage of subscriptions as a CSV file. */
export const SUBSCRIPTION_USAGE: CsvColumns<UsedDay> = {
  subscription_id: (row) => row.subscription_id,
  user_id: (row) => row.user_id,
  plan: (row) => row.plan,
  date: (row) => row.date,
  model_calls: (row) => row.model_calls,
  tokens_input: (row) => row.tokens_input,
  tokens_cached: (row) => row.tokens_cached,
  tokens_output: (row) => row.tokens_output,
  billed_usd: (row) => row.billed_usd,
}
