import * as z from "zod"
import { type ActivityEntry, activityEntrySchema } from "../../actor/activity-entry.ts"
import { plainJson } from "../../base/plain-json.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { createdQuery, listOf, listQuery, numberParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { listActivity } from "../../users/list-activity.ts"

const word = z.string().min(1).max(256).optional()

const CSV: CsvColumns<ActivityEntry> = {
  activity_id: (entry) => entry.activity_id,
  created_at: (entry) => entry.created_at,
  action: (entry) => entry.action,
  subject_type: (entry) => entry.subject_type,
  subject_id: (entry) => entry.subject_id,
  by: (entry) => entry.by,
  name: (entry) => entry.name,
  member_id: (entry) => entry.member_id,
  role: (entry) => entry.role,
  key_id: (entry) => entry.key_id,
  before: (entry) => entry.before && plainJson(entry.before),
  after: (entry) => entry.after && plainJson(entry.after),
  request_id: (entry) => entry.request_id,
  address: (entry) => entry.address,
}

export function mountActivity(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/account/activity",
      id: "listActivity",
      tag: "Account",
      summary: "List the activity of the account",
      description:
        "The changes of your account with their makers, newest first: keys, limits, prices, wallets, webhooks, spaces and their " +
        "versions, decisions, exports, erasures, sign-ins, and what operators did to the account. Entries cannot be changed. " +
        "They are kept as long as the service keeps its audit log.",
      query: z.strictObject({
        action: word.meta({ description: "The action.", example: "key.update" }),
        subject_type: word.meta({ description: "The type of the changed object.", example: "key" }),
        subject_id: word.meta({ description: "The changed object.", example: "key_01j9zq4s0fq4mvt2b9v0000000" }),
        key_id: word.meta({ description: "The key that made the changes." }),
        by: activityEntrySchema.shape.by.optional(),
        member: numberParam.optional().meta({ description: "Only changes of the member with this user id." }),
        ...createdQuery,
        ...listQuery,
        ...csvQuery,
      }),
      answer: {
        status: 200,
        description: "A page of entries.",
        schema: listOf(activityEntrySchema),
        also: CSV_ANSWER,
      },
      errors: [],
    },
    async (c, { query: { limit, offset, format, ...filters } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "activity", CSV, async ({ limit, after }) => {
          const older = { ...filters, before_id: after?.activity_id }
          return (await listActivity(ctx, session, { filters: older, limit, offset: 0 })).entries
        })
      const { entries, total } = await listActivity(ctx, session, { filters, limit, offset })
      return { items: entries, total, limit, offset }
    },
  )
}
