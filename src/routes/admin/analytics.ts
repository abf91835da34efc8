import * as z from "zod"
import { type ErrorsReport, errorsReportSchema, reportErrors } from "../../analytics/report-errors.ts"
import type { App } from "../../http/app.ts"
import { type CsvColumns, csvOf } from "../../http/csv.ts"
import { sessionOf } from "../../http/session-auth.ts"
import { reportAnswer, reportQuery, reportTag as tag } from "./report.ts"

const ERRORS: CsvColumns<ErrorsReport["items"][number]> = {
  date: ({ date }) => date,
  container_exec: ({ container_exec }) => container_exec,
  container_start: ({ container_start }) => container_start,
  subagent_dispatch: ({ subagent_dispatch }) => subagent_dispatch,
  total: ({ total }) => total,
  model_call: ({ model_call }) => model_call,
}

/** Usage over time, and who and what uses most (contract section 4.5). Reports about money: ./analytics-money.ts. */
export function mountAnalytics(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/errors",
      id: "getErrorsReport",
      tag,
      summary: "Report failures of infrastructure by day",
      description:
        "Containers that failed to start, calls that failed in one, and delegations to sub-agents that failed. Failed model calls " +
        "stand beside them. Failures of test turns are not noted.",
      query: z.strictObject(reportQuery(365)),
      answer: reportAnswer("The report.", errorsReportSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportErrors(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "errors", ERRORS, report.items) : report
    },
  )
}
