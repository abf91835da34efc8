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
import { csvInParts, csvOf, csvQuery } from "../../http/csv.ts"
import { daysInParts, jsonInParts } from "../../http/in-parts.ts"
import { cutListQuery, emptyDaysParam, numberParam, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { START_REPORT_FILE_ERRORS } from "../../report-files/start-report-file.ts"
import * as columns from "./analytics-columns.ts"
import {
  brandQuery,
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
import { csvOrFile, FILED_ANSWER } from "./report-files.ts"

/**
 * Reports about usage over time, and the largest users and spaces (docs/contract.md). Reports about money:
 * ./analytics-money.ts.
 */
export function mountAnalytics(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/context-comparison",
      id: "getContextComparison",
      tag,
      summary: "Compare the contexts of orchestrators and sub-agents",
      description:
        "The input tokens of calls that members of a pool served, by day, and the cached share of them. The report compares calls of the spaces' " +
        "own agents with calls of sub-agents. A call counts when its turn ends.",
      query: z.strictObject(reportQuery(120)),
      answer: reportAnswer("The report.", contextComparisonSchema),
      errors: [],
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
        "The usage of live turns by day, of keys and web chats together, by the time of their bill: a list of days. An unknown " +
        "account or chat has no usage. With `group_by=slug`, an object that has such a list for each used space, by slug.",
      query: z.strictObject({
        ...reportQuery(365),
        user_id: numberParam.optional().meta({
          description: "Only usage that is billed to this account: all turns in its spaces, by any sender.",
          example: 42,
        }),
        chat_key: z.string().min(1).max(300).optional().meta({
          description: "Only this chat. With `user_id`: only if the chat belongs to that account.",
          example: "space:spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        }),
        group_by: z.literal("slug").optional().meta({ description: "`slug`: one series per space." }),
        empty_days: emptyDaysParam("Only with `group_by=slug`. "),
        ...seriesPageQuery,
      }),
      answer: {
        ...reportAnswer("The days, or one series per space.", z.union([dailyUsageSchema, slugUsageSchema])),
        headers: REPORT_HEADERS,
        later: FILED_ANSWER,
      },
      errors: START_REPORT_FILE_ERRORS,
    },
    async (c, { query: { format, group_by, ...asked } }) => {
      if (group_by === "slug") {
        const report = await reportSlugUsage(c.get("ctx"), sessionOf(c), {
          ...asked,
          ...pageOfAnswer(format, asked),
        })
        return format === "csv"
          ? csvOrFile(c, report, {
              ...{ name: "usage-by-slug", columns: columns.SLUG_USAGE, rowsOf: columns.slugRows },
              emptyDays: asked.empty_days,
            })
          : daysInParts(c, report, ([, days]) => days.length, { name: "series", kind: "object" })
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
        "The accounts with the highest billed amount. Turns of a space's members count for the space's owner, who is billed.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The accounts.", topUsersSchema),
      errors: [],
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
        "Containers that failed to start, calls that failed in a container, and failed delegations to sub-agents. Failed model calls " +
        "have a column of their own. Failures of test turns are not recorded. A failure without a turn has no `brand`.",
      query: z.strictObject(reportQuery(365)),
      answer: reportAnswer("The report.", errorsReportSchema),
      errors: [],
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
        "The input tokens of a space's model calls, including those of sub-agents: the average and the maximum, by day and in the whole range. " +
        "Without `space`: all spaces used in the range, those with the highest billed amount first.",
      query: z.strictObject({
        ...reportQuery(90),
        space: z.string().min(1).max(128).optional().meta({
          description: "Only the space with this slug.",
          example: "spc_01jd3k9m2x4t8r5w6y7z0a1b2c",
        }),
        empty_days: emptyDaysParam(),
        ...cutListQuery,
      }),
      answer: { ...reportAnswer("The report.", contextSizeSchema), later: FILED_ANSWER },
      errors: START_REPORT_FILE_ERRORS,
    },
    async (c, { query: { format, ...asked } }) => {
      const report = await reportContextSize(c.get("ctx"), sessionOf(c), { ...asked, ...pageOfAnswer(format, asked) })
      return format === "csv"
        ? csvOrFile(c, report, {
            ...{ name: "context-size", columns: columns.CONTEXT_SIZE, rowsOf: columns.sizeRows },
            emptyDays: asked.empty_days,
          })
        : daysInParts(c, report, ({ days }) => days.length)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/top-spaces",
      id: "getTopSpaces",
      tag,
      summary: "List the spaces with the highest cost",
      description: "The spaces with the highest billed amount.",
      query: z.strictObject({ ...reportQuery(365), limit: topQuery(100, 20) }),
      answer: reportAnswer("The spaces.", topSpacesSchema),
      errors: [],
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
      description: "The usage of live turns by hour (UTC) of the last days. Future hours of today are empty.",
      query: z.strictObject(reportQuery(30, 7)),
      answer: reportAnswer("The report.", hourlySchema),
      errors: [],
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
        "The billed amount by hour (UTC) of the spaces with the highest billed amount, and of all other spaces together as `other`. A range " +
        `has at most ${REPORT_POLICY.spaceHoursDays} days. If the range cuts an hour, only the part inside the range counts.`,
      query: z.strictObject({
        start: spanQuery.start
          .unwrap()
          .meta({ description: "The start of the range, inclusive.", example: "2026-01-14T00:00:00Z" }),
        end: spanQuery.end
          .unwrap()
          .meta({ description: "The end of the range, exclusive.", example: "2026-01-15T00:00:00Z" }),
        top: wholeParam(1, 20).default(8).meta({ description: "The number of spaces with a series of their own." }),
        ...brandQuery,
        ...csvQuery,
      }),
      answer: reportAnswer("The report.", hourlySpacesSchema),
      errors: [],
    },
    async (c, { query: { format, ...asked } }) => {
      const { head, parts, tail } = await reportHourlySpaces(c.get("ctx"), sessionOf(c), asked)
      if (format === "json") return jsonInParts(c, { head, name: "series", parts, tail: () => tail })
      const series = await wholeOf(parts)
      return csvInParts(c, "hourly-spaces", columns.HOURLY_SPACES, columns.hourlyRows({ series, ...tail }))
    },
  )
}
