import * as z from "zod"
import { reportedBrand } from "../../analytics/brand.ts"
import type { App } from "../../http/app.ts"
import { CSV_ANSWER, type CsvColumns, csvAnswer, csvQuery } from "../../http/csv.ts"
import { madeOf } from "../../http/idempotency.ts"
import { daysInParts } from "../../http/in-parts.ts"
import { booleanParam, cutListQuery, listOf, listQuery, numberParam, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { START_REPORT_FILE_ERRORS } from "../../report-files/start-report-file.ts"
import { getSubscription, listSubscriptions, SUBSCRIPTION_STATES } from "../../subscriptions/list-subscriptions.ts"
import { reportSubscriptions, subscriptionUsageSchema } from "../../subscriptions/report-subscriptions.ts"
import {
  CREATE_SUBSCRIPTION_ERRORS,
  createSubscription,
  type Subscription,
  subscriptionCreateSchema,
  subscriptionSchema,
  subscriptionUpdateSchema,
  UPDATE_SUBSCRIPTION_ERRORS,
  updateSubscription,
} from "../../subscriptions/subscription.ts"
import { raised } from "../raised.ts"
import { pageOfAnswer, reportAnswer, reportQuery } from "./report.ts"
import { csvOrFile, FILED_ANSWER } from "./report-files.ts"
import { SUBSCRIPTION_USAGE, usedDays } from "./subscription-columns.ts"

const tag = "admin"
const params = z.object({ sub_id: wholeParam(1, 2_147_483_647).meta({ example: 7 }) })

const LIST: CsvColumns<Subscription> = {
  sub_id: (row) => row.sub_id,
  user_id: (row) => row.user_id,
  plan: (row) => row.plan,
  trial: (row) => row.trial,
  starts_at: (row) => row.starts_at,
  ends_at: (row) => row.ends_at,
  deactivated_at: (row) => row.deactivated_at,
  note: (row) => row.note,
  alongside: (row) => row.alongside,
  created_at: (row) => row.created_at,
  updated_at: (row) => row.updated_at,
}

export function mountSubscriptions(app: App) {
  app.operation(
    {
      method: "get",
      path: "/api/admin/subscriptions",
      id: "listSubscriptions",
      tag,
      summary: "List subscriptions",
      description: "Subscriptions of all users, newest first.",
      query: z.strictObject({
        user_id: numberParam.optional().meta({ description: "Only subscriptions of this user." }),
        plan: z.string().min(1).max(32).optional().meta({ description: "Only subscriptions with this plan." }),
        state: z
          .enum([...SUBSCRIPTION_STATES, "all"])
          .default("all")
          .meta({
            description: "`scheduled`: not started. `ended`: its end has passed, or it was deactivated.",
          }),
        trial: booleanParam.optional().meta({ description: "Only trials, or only other subscriptions." }),
        several: booleanParam.optional().meta({
          description:
            "Only subscriptions of users with more than one active subscription besides a trial, or of others.",
        }),
        ...listQuery,
        ...csvQuery,
      }),
      answer: {
        status: 200,
        description: "A page of subscriptions.",
        schema: listOf(subscriptionSchema),
        also: CSV_ANSWER,
      },
      errors: [],
    },
    async (c, { query: { limit, offset, format, bom: _bom, ...filters } }) => {
      const [ctx, session] = [c.get("ctx"), sessionOf(c)]
      if (format === "csv")
        return csvAnswer(c, "subscriptions", LIST, async ({ limit, after }) => {
          const earlier = { ...filters, before_id: after?.sub_id }
          return (await listSubscriptions(ctx, session, { filters: earlier, limit, offset: 0 })).items
        })
      return { ...(await listSubscriptions(ctx, session, { filters, limit, offset })), limit, offset }
    },
  )

  app.operation(
    {
      method: "post",
      path: "/api/admin/subscriptions",
      id: "createSubscription",
      tag,
      summary: "Create a subscription",
      description:
        "Gives a user a plan from `starts_at` to `ends_at`. The credit that the plan includes is booked once per month, starting with " +
        "the current month. A user has one active subscription. A second one is refused with SUBSCRIPTION_ACTIVE, unless it " +
        "`replaces` the first, or you send `alongside: true`. With several, the cap of the one that started last counts, and each plan gives " +
        "its credit. A plan gives its credit once for the same time, also to several subscriptions. A trial counts only without another plan, " +
        "so it never refuses one.",
      idempotent: "replayed",
      versioned: "shown",
      body: subscriptionCreateSchema,
      answer: { status: 200, description: "The subscription.", schema: subscriptionSchema },
      errors: CREATE_SUBSCRIPTION_ERRORS,
    },
    async (c, { body, once }) => madeOf(c, raised(c, await createSubscription(c.get("ctx"), sessionOf(c), body, once))),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/subscriptions/usage",
      id: "getSubscriptionUsage",
      tag,
      summary: "Report the usage of subscriptions",
      description:
        "Calls, tokens and bills of each subscription by day: calls of keys and of web chats, but not of test turns. Provider accounts serve " +
        "the users of all brands, so a report on one `brand` has only plans of its users.",
      query: z.strictObject({ ...reportQuery(365), ...cutListQuery }),
      answer: { ...reportAnswer("The report.", subscriptionUsageSchema), later: FILED_ANSWER },
      errors: START_REPORT_FILE_ERRORS,
    },
    async (c, { query: { format, ...asked } }) => {
      const page = pageOfAnswer(format, asked)
      const brand = await reportedBrand(c.get("ctx"), sessionOf(c), asked)
      const report = await reportSubscriptions(c.get("ctx"), sessionOf(c), { ...asked, ...page, brand })
      return format === "csv"
        ? csvOrFile(c, report, {
            ...{ name: "subscription-usage", columns: SUBSCRIPTION_USAGE, rowsOf: usedDays },
            emptyDays: false,
          })
        : daysInParts(c, report, ({ days }) => days.length)
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/subscriptions/{sub_id}",
      id: "getSubscription",
      tag,
      summary: "Read a subscription",
      versioned: "shown",
      params,
      answer: { status: 200, description: "The subscription.", schema: subscriptionSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { sub_id } }) => getSubscription(c.get("ctx"), sessionOf(c), sub_id),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/subscriptions/{sub_id}",
      id: "updateSubscription",
      tag,
      summary: "Edit a subscription",
      description:
        "Changes the fields that you send. If you change the plan, its credit applies from the next period on. A later end that reaches " +
        "into the time of another subscription is refused with SUBSCRIPTION_ACTIVE, unless you send `alongside: true`.",
      versioned: "checked",
      params,
      body: subscriptionUpdateSchema,
      answer: { status: 200, description: "The current subscription.", schema: subscriptionSchema },
      errors: UPDATE_SUBSCRIPTION_ERRORS,
    },
    async (c, { params: { sub_id }, body, ifVersion }) =>
      raised(c, await updateSubscription(c.get("ctx"), sessionOf(c), sub_id, { change: body, ifVersion })),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/subscriptions/{sub_id}",
      id: "deactivateSubscription",
      tag,
      summary: "Deactivate a subscription",
      description:
        "The subscription ends now, and no further credit is booked. Booked credit stays. A second request returns the same response.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The current subscription.", schema: subscriptionSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { sub_id }, ifVersion }) =>
      raised(c, await updateSubscription(c.get("ctx"), sessionOf(c), sub_id, { change: "deactivate", ifVersion })),
  )
}
