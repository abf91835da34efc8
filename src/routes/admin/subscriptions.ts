import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { listInParts } from "../../http/in-parts.ts"
import { daysQuery, wholeListQuery, wholeParam } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { reportSubscriptions, subscriptionUsageSchema } from "../../subscriptions/report-subscriptions.ts"
import {
  createSubscription,
  subscriptionCreateSchema,
  subscriptionSchema,
  subscriptionUpdateSchema,
  updateSubscription,
} from "../../subscriptions/subscription.ts"

const tag = "admin"
const params = z.object({ sub_id: wholeParam(1, 2_147_483_647).meta({ example: 7 }) })

export function mountSubscriptions(app: App) {
  app.operation(
    {
      method: "post",
      path: "/api/admin/subscriptions",
      id: "createSubscription",
      tag,
      summary: "Give a user a plan",
      description:
        "From `starts_at` to `ends_at`. The credit that the plan includes is booked once for each month, beginning with " +
        "the one under way. Of several active subscriptions of a user, the one that started last counts.",
      idempotent: "replayed",
      versioned: "shown",
      body: subscriptionCreateSchema,
      answer: { status: 200, description: "The subscription.", schema: subscriptionSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
    },
    async (c, { body, once }) => madeOf(c, await createSubscription(c.get("ctx"), sessionOf(c), body, once)),
  )

  app.operation(
    {
      method: "get",
      path: "/api/admin/subscriptions/usage",
      id: "getSubscriptionUsage",
      tag,
      summary: "Report the usage of subscriptions",
      description:
        "Calls, tokens and bills of each subscription by day: calls of keys and of web chats, without test turns.",
      query: z.strictObject({ ...daysQuery(365), ...wholeListQuery }),
      answer: { status: 200, description: "The report.", schema: subscriptionUsageSchema },
      errors: ["ADMIN_REQUIRED"],
    },
    async (c, { query }) => listInParts(c, await reportSubscriptions(c.get("ctx"), sessionOf(c), query)),
  )

  app.operation(
    {
      method: "put",
      path: "/api/admin/subscriptions/{sub_id}",
      id: "updateSubscription",
      tag,
      summary: "Edit a subscription",
      description: "Changes the fields that you send. Another plan's credit counts from the next period on.",
      versioned: "checked",
      params,
      body: subscriptionUpdateSchema,
      answer: { status: 200, description: "The subscription as it is now.", schema: subscriptionSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND", "SUBSCRIPTION_ENDED"],
    },
    async (c, { params: { sub_id }, body, ifVersion }) =>
      updateSubscription(c.get("ctx"), sessionOf(c), sub_id, { change: body, ifVersion }),
  )

  app.operation(
    {
      method: "delete",
      path: "/api/admin/subscriptions/{sub_id}",
      id: "deactivateSubscription",
      tag,
      summary: "Deactivate a subscription",
      description:
        "It ends now, and no further credit is booked. What was booked stays. Repeating it gives the same answer.",
      versioned: "checked",
      params,
      answer: { status: 200, description: "The subscription as it is now.", schema: subscriptionSchema },
      errors: ["ADMIN_REQUIRED", "NOT_FOUND"],
    },
    async (c, { params: { sub_id }, ifVersion }) =>
      updateSubscription(c.get("ctx"), sessionOf(c), sub_id, { change: "deactivate", ifVersion }),
  )
}
