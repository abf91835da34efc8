import * as z from "zod"
import type { App } from "../../http/app.ts"
import { createdQuery, idParam, pageOf, pageQuery } from "../../http/query.ts"
import { serializeDelivery } from "../../webhooks/delivery-row.ts"
import { serializeWebhook } from "../../webhooks/endpoint-row.ts"
import { listWebhooks } from "../../webhooks/get-webhook.ts"
import { listDeliveries } from "../../webhooks/list-deliveries.ts"
import { deliveryFilters, deliverySchema, webhookSchema } from "../../webhooks/schemas.ts"
import { FOR_KEYS } from "../mounting.ts"
import { mountEndpoints } from "../webhooks/endpoints.ts"
import { mountSendAgain } from "../webhooks/send-again.ts"

const tag = "Webhooks"

/** /v1/webhooks and /v1/deliveries. */
export function mountWebhooks(app: App) {
  mountEndpoints(app, FOR_KEYS)

  app.operation(
    {
      method: "get",
      path: "/v1/webhooks",
      id: "listWebhooks",
      tag,
      summary: "List webhooks",
      description: "The webhooks in the key's scope, newest first.",
      query: z.strictObject({ ...pageQuery, ...createdQuery }),
      answer: { status: 200, description: "A page of webhooks.", schema: pageOf(webhookSchema) },
      errors: [],
    },
    async (c, { query }) => {
      const page = await listWebhooks(c.get("ctx"), c.get("credential"), query)
      return { ...page, data: page.data.map((row) => serializeWebhook(row, c.get("ctx").clock.now())) }
    },
  )

  mountSendAgain(app, FOR_KEYS)

  app.operation(
    {
      method: "get",
      path: "/v1/webhooks/{webhook_id}/deliveries",
      id: "listDeliveries",
      tag,
      summary: "List a webhook's deliveries",
      description:
        "Deliveries with their attempts, newest event first. Use a cursor only with the filters of the " +
        "page that returned it.",
      params: z.object({ webhook_id: idParam }),
      query: z.strictObject({
        ...pageQuery,
        ...deliveryFilters,
        ...createdQuery,
      }),
      answer: { status: 200, description: "A page of deliveries.", schema: pageOf(deliverySchema) },
      errors: ["NOT_FOUND"],
    },
    async (c, { params, query: { limit, cursor, ...filters } }) => {
      const input = { webhookId: params.webhook_id, filters, limit, cursor }
      const page = await listDeliveries(c.get("ctx"), c.get("credential"), input)
      return { ...page, data: page.data.map(serializeDelivery) }
    },
  )
}
