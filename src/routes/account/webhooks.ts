import * as z from "zod"
import type { App } from "../../http/app.ts"
import { booleanParam, idParam, listOf, listQuery, testQuery } from "../../http/query.ts"
import { sessionOf } from "../../http/session-of.ts"
import { serializeDelivery } from "../../webhooks/delivery-row.ts"
import { serializeWebhook } from "../../webhooks/endpoint-row.ts"
import { findWebhooks, getWebhookHealth } from "../../webhooks/get-webhook.ts"
import { listedWebhookSchema, webhookHealthSchema } from "../../webhooks/health-schema.ts"
import { findDeliveries } from "../../webhooks/list-deliveries.ts"
import { deliveryFilters, deliverySchema } from "../../webhooks/schemas.ts"
import { FOR_OWNERS } from "../mounting.ts"
import { mountEndpoints } from "../webhooks/endpoints.ts"
import { mountSendAgain } from "../webhooks/send-again.ts"

const tag = "Webhooks"

/** All webhooks of the account, including those that keys created. */
export function mountOwnWebhooks(app: App) {
  mountEndpoints(app, FOR_OWNERS)

  app.operation(
    {
      method: "get",
      path: "/api/account/webhooks",
      id: "listWebhooks",
      tag,
      summary: "List webhooks",
      description:
        "The webhooks of the account and of all its keys, newest first, with the results of their newest deliveries.",
      query: z.strictObject({
        failing: booleanParam.optional().meta({
          description:
            "`true`: only enabled webhooks whose last attempt failed, except those that are still `pending`. `false`: only the other enabled ones.",
        }),
        ...testQuery,
        ...listQuery,
      }),
      answer: { status: 200, description: "A page of webhooks.", schema: listOf(listedWebhookSchema) },
      errors: [],
    },
    async (c, { query: { failing, limit, offset } }) => {
      const { webhooks, total } = await findWebhooks(c.get("ctx"), sessionOf(c), { failing, limit, offset })
      const now = c.get("ctx").clock.now()
      const items = webhooks.map((row) => ({ ...serializeWebhook(row, now), health: row.health }))
      return { items, total, limit, offset }
    },
  )

  app.operation(
    {
      method: "get",
      path: "/api/account/webhooks/{webhook_id}/health",
      id: "getWebhookHealth",
      tag,
      summary: "Read a webhook's success rate",
      description: "The results of its newest deliveries.",
      params: z.object({ webhook_id: idParam }),
      query: z.strictObject(testQuery),
      answer: { status: 200, description: "The results.", schema: webhookHealthSchema },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) => getWebhookHealth(c.get("ctx"), sessionOf(c), params.webhook_id),
  )

  mountSendAgain(app, FOR_OWNERS)

  app.operation(
    {
      method: "get",
      path: "/api/account/webhooks/{webhook_id}/deliveries",
      id: "listDeliveries",
      tag,
      summary: "List a webhook's deliveries",
      description: "Deliveries with their attempts, newest event first.",
      params: z.object({ webhook_id: idParam }),
      query: z.strictObject({ ...deliveryFilters, ...testQuery, ...listQuery }),
      answer: { status: 200, description: "A page of deliveries.", schema: listOf(deliverySchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { limit, offset, test: _test, ...filters } }) => {
      const input = { webhookId: params.webhook_id, filters, limit, offset }
      const { deliveries, total } = await findDeliveries(c.get("ctx"), sessionOf(c), input)
      return { items: deliveries.map(serializeDelivery), total, limit, offset }
    },
  )
}
