import * as z from "zod"
import { REPORT_POLICY } from "../../analytics/policies.ts"
import { contextComparisonSchema, reportContextComparison } from "../../analytics/report-context-comparison.ts"
import { contextSizeSchema, reportContextSize } from "../../analytics/report-context-size.ts"
import { dailyUsageSchema, reportDailyUsage } from "../../analytics/report-daily-usage.ts"
import { errorsReportSchema, reportErrors } from "../../analytics/report-errors.ts"
import { hourlySchema, reportHourly } from "../../analytics/report-hourly.ts"
import { hourlySpacesSchema, reportHourlySpaces } from "../../analytics/report-hourly-spaces.ts"
import { reportSlugUsage, slugUsageSchema } from "../../analytics/report-slug-usage.ts"
import { reportTopSpaces, topSpacesSchema } from "../../analytics/report-top-spaces.ts"
import { reportTopUsers, topUsersSchema } from "../../analytics/report-top-users.ts"
import { wholeOf } from "../../base/in-parts.ts"
import { answerJson } from "../../http/answer-json.ts"
import type { App } from "../../http/app.ts"
import { csvInParts, csvOf, csvQuery, rowsInParts } from "../../http/csv.ts"
import { jsonInParts, listInParts } from "../../http/in-parts.ts"
import { numberParam, wholeListQuery, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import * as columns from "./analytics-columns.ts"
import {
  headersOf,
  pageOfAnswer,
  REPORT_HEADERS,
  reportAnswer,
  reportQuery,
  seriesPageQuery,
  spanQuery,
  reportTag as tag,
  topQuery,
} from "./report.ts"

/** Usage over time, and who and what uses most (docs/contract.md). Reports about money: ./analytics-money.ts. */
export function mountAnalytics(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/context-comparison",
      id: "getContextComparison",
      tag,
      summary: "Compare the contexts of orchestrators and sub-agents",
      description:
        "How much the calls that members of a pool served have read on each day, and which share of it was cached: those of spaces' own " +
        "agents beside those of sub-agents. A call counts when its turn ends.",
      query: z.strictObject(reportQuery(120)),
      answer: reportAnswer("The report.", contextComparisonSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportContextComparison(c.get("ctx"), sessionOf(c), asked)
      if (format === "json") return report
      return csvOf(c, "context-comparison", columns.CONTEXT_COMPARISON, columns.roleRows(report))
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/usage",
      id: "getDailyUsage",
      tag,
      summary: "Report usage by day",
      description:
        "What live turns used on each day, those of keys and of web chats together, by the moment of their bill: a list of days. An unknown " +
        "account or chat has used nothing. With `group_by=slug` an object that has such a list for each space that was used, by slug.",
      query: z.strictObject({
        ...reportQuery(365),
        user_id: numberParam.optional().meta({
          description: "Only what this account is billed for: its spaces, whoever writes there.",
          example: 42,
        }),
        chat_key: z.string().min(1).max(300).optional().meta({
          description: "Only this chat. With `user_id`: only if it is theirs.",
          example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        }),
        group_by: z.literal("slug").optional().meta({ description: "`slug`: a series for each space." }),
        ...seriesPageQuery,
      }),
      answer: {
        ...reportAnswer("The days, or the series of spaces.", z.union([dailyUsageSchema, slugUsageSchema])),
        headers: REPORT_HEADERS,
      },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, group_by, ...asked } }) => {
      if (group_by === "slug") {
        const { head, parts } = await reportSlugUsage(c.get("ctx"), sessionOf(c), {
          ...asked,
          ...pageOfAnswer(format, asked),
        })
        return format === "csv"
          ? csvInParts(c, "usage-by-slug", columns.SLUG_USAGE, rowsInParts(parts, columns.slugRows))
          : jsonInParts(c, { head, name: "series", kind: "object", parts })
      }
      const { head, days } = await reportDailyUsage(c.get("ctx"), sessionOf(c), asked)
      if (format === "csv") return csvOf(c, "usage", columns.USAGE, days)
      return answerJson(c, days, 200, headersOf(head))
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/top-users",
      id: "getTopUsers",
      tag,
      summary: "List the accounts with the highest cost",
      description:
        "The accounts that were billed most for their turns. What members of a space send counts for the space's owner, who is billed.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The accounts.", topUsersSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportTopUsers(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "top-users", columns.TOP_USERS, report.items) : report
    },
  )

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
      return format === "csv" ? csvOf(c, "errors", columns.ERRORS, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/context-size",
      id: "getContextSize",
      tag,
      summary: "Report the context sizes of spaces by day",
      description:
        "What the model calls of a space read, those of sub-agents too: on average and at most, by day and in the whole range. Without " +
        "`space`: of all spaces that were used in the range, those that were billed most first.",
      query: z.strictObject({
        ...reportQuery(90),
        space: z.string().min(1).max(128).optional().meta({
          description: "Only the space with this slug.",
          example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        }),
        ...wholeListQuery,
      }),
      answer: reportAnswer("The report.", contextSizeSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportContextSize(c.get("ctx"), sessionOf(c), { ...asked, ...pageOfAnswer(format, asked) })
      return format === "csv"
        ? csvInParts(c, "context-size", columns.CONTEXT_SIZE, rowsInParts(report.parts, columns.sizeRows))
        : listInParts(c, report)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/top-spaces",
      id: "getTopSpaces",
      tag,
      summary: "List the spaces with the highest cost",
      description: "The spaces whose turns were billed most.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The spaces.", topSpacesSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportTopSpaces(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "top-spaces", columns.TOP_SPACES, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/hourly",
      id: "getHourlyUsage",
      tag,
      summary: "Report usage by hour",
      description:
        "What live turns used in each hour (UTC) of the last days. The hours of today that are to come are empty.",
      query: z.strictObject(reportQuery(30, 7)),
      answer: reportAnswer("The report.", hourlySchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportHourly(c.get("ctx"), sessionOf(c), asked)
      return format === "csv" ? csvOf(c, "hourly", columns.HOURLY, report.items) : report
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/hourly-spaces",
      id: "getHourlySpaces",
      tag,
      summary: "Report cost by hour and space",
      description:
        "What the spaces that were billed most were billed in each hour (UTC) of a range, and all others together as `other`. A range " +
        `has at most ${REPORT_POLICY.spaceHoursDays} days. Of an hour that it cuts, only what is in the range counts.`,
      query: z.strictObject({
        start: spanQuery.start
          .unwrap()
          .meta({ description: "Where the range begins.", example: "2026-01-14T00:00:00Z" }),
        end: spanQuery.end.unwrap().meta({ description: "Where it ends, exclusive.", example: "2026-01-15T00:00:00Z" }),
        top: wholeParam(1, 20).default(8).meta({ description: "How many spaces have a series of their own." }),
        ...csvQuery,
      }),
      answer: reportAnswer("The report.", hourlySpacesSchema),
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query: { format, ...asked } }) => {
      const { head, parts, tail } = await reportHourlySpaces(c.get("ctx"), sessionOf(c), asked)
      if (format === "json") return jsonInParts(c, { head, name: "series", parts, tail })
      const series = await wholeOf(parts)
      return csvInParts(c, "hourly-spaces", columns.HOURLY_SPACES, columns.hourlyRows({ series, ...tail }))
    },
  )
}
