import * as z from "zod"
import {
  CUSTOMER_SORTS,
  type Customer,
  customerSchema,
  customerTotalsSchema,
  listCustomers,
} from "../../end-users/list-customers.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { booleanParam, listOf, listQuery, searchParam, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"

const COLUMNS: CsvColumns<Customer> = {
  end_user_ref: ({ end_user_ref }) => end_user_ref,
  blocked: ({ blocked }) => blocked,
  billed_today_usd: ({ billed_today_usd }) => billed_today_usd,
  billed_this_month_usd: ({ billed_this_month_usd }) => billed_this_month_usd,
  billed_usd: ({ billed_usd }) => billed_usd,
  refunded_usd: ({ refunded_usd }) => refunded_usd,
  net_usd: ({ net_usd }) => net_usd,
  turns: ({ turns }) => turns,
  turns_this_month: ({ month }) => month.turns,
  failed_this_month: ({ month }) => month.failed,
  success_rate: ({ month }) => month.success_rate,
  avg_seconds: ({ month }) => month.avg_seconds,
  daily_limit_usd: ({ daily }) => daily?.limit_usd ?? null,
  daily_spent_usd: ({ daily }) => daily?.spent_usd ?? null,
  monthly_limit_usd: ({ monthly }) => monthly?.limit_usd ?? null,
  monthly_spent_usd: ({ monthly }) => monthly?.spent_usd ?? null,
  cap_share: ({ cap_share }) => cap_share,
  last_turn_at: ({ last_turn_at }) => last_turn_at,
}

export function mountCustomers(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/customers",
      id: "listCustomers",
      tag: "End users",
      summary: "Rank end users by their spend",
      description:
        "The end users with ended turns or with limits: what each was billed, how much of its limits it has used, and how its turns of " +
        "this month ended. `totals` has the sums of all pages. End users with equal values are sorted by name; end users without a " +
        "value come last. Web-chat turns have no end user.",
      query: z.strictObject({
        q: searchParam.meta({ description: "A part of the `end_user_ref`. Case does not matter." }),
        blocked: booleanParam
          .optional()
          .meta({ description: "`true`: only blocked end users. `false`: only end users who are not blocked." }),
        sort: z
          .enum(CUSTOMER_SORTS)
          .default("month")
          .meta({
            description:
              "`today`, `month` and `all_time` are billed amounts, `share` is `cap_share`. `turns` counts all turns; `latency` and " +
              "`failed` use the turns of this month.",
          }),
        direction: z.enum(["asc", "desc"]).default("desc"),
        ...testQuery,
        ...listQuery,
        ...csvQuery,
      }),
      answer: {
        status: 200,
        description: "A page of end users, and the sums of all pages.",
        schema: listOf(customerSchema).extend({ totals: customerTotalsSchema }),
        also: CSV_ANSWER,
      },
      errors: [],
    },
    async (c, { query: { q, blocked, sort, direction, limit, offset, format } }) => {
      const read = (page: { limit: number; offset: number }) =>
        listCustomers(c.get("ctx"), sessionOf(c), { filters: { q, blocked }, page: { sort, direction, ...page } })
      if (format === "csv") return csvAnswer(c, "customers", COLUMNS, async (page) => (await read(page)).items)
      return { ...(await read({ limit, offset })), limit, offset }
    },
  )
}
