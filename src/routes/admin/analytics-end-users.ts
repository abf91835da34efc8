import * as z from "zod"
import {
  END_USER_SORTS,
  type EndUserUsage,
  endUsersReportSchema,
  reportEndUsers,
} from "../../analytics/report-end-users.ts"
import { LIST_POLICY } from "../../base/policies.ts"
import type { App } from "../../http/app.ts"
import { csvInParts } from "../../http/csv.ts"
import { listQuery, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { END_USERS } from "./analytics-columns.ts"
import { rangeQuery, reportAnswer, reportTag as tag } from "./report.ts"

/** The report on one account by end user. */
export function mountEndUserAnalytics(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/analytics/end-users",
      id: "getEndUsersReport",
      tag,
      summary: "Report the usage of one account by end user",
      description:
        "Live turns that ended in the range, by the end user who sent them. Web chats are one entry without an end user. The amounts add up to " +
        "the usage of the account, and equal its own report by end user.",
      query: z.strictObject({
        user_id: numberParam.meta({ description: "The account.", example: 42 }),
        ...rangeQuery(365),
        sort: z.enum(END_USER_SORTS).default("spend").meta({
          description: "`spend`: the billed amount. `tokens`: input and output tokens together.",
        }),
        direction: z.enum(["asc", "desc"]).default("desc"),
        ...listQuery,
      }),
      answer: reportAnswer("The report.", endUsersReportSchema),
      errors: [],
    },
    async (c, { query: { format, limit, offset, ...asked } }) => {
      const at = c.get("ctx").clock.now()
      const read = (page: { limit: number; offset: number }) =>
        reportEndUsers(c.get("ctx"), sessionOf(c), { ...asked, at, ...page })
      return format === "csv" ? csvInParts(c, "end-users", END_USERS, pagesOf(read)) : read({ limit, offset })
    },
  )
}

/** All pages of the report, each as large as a list may be. */
async function* pagesOf(read: (page: { limit: number; offset: number }) => Promise<{ items: EndUserUsage[] }>) {
  for (let offset = 0; ; offset += LIST_POLICY.page) {
    const { items } = await read({ limit: LIST_POLICY.page, offset })
    yield items
    if (items.length < LIST_POLICY.page) return
  }
}
