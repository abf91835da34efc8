import * as z from "zod"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam, pageOf, pageQuery } from "../../http/query.ts"
import { serializeDelivery } from "../../webhooks/delivery-row.ts"
import { getDelivery, listDeliveries } from "../../webhooks/list-deliveries.ts"
import { DELIVERY_STATES, deliverySchema, EVENT_TYPES, replayedSchema, replaySchema } from "../../webhooks/schemas.ts"
import { redeliver, replayEvents, sendTest } from "../../webhooks/send-again.ts"

const tag = "Webhooks"
const webhookParams = z.object({ webhook_id: idParam })
const deliveryParams = z.object({ delivery_id: idParam })
const theDelivery = { description: "The delivery.", schema: deliverySchema } as const

/** What was sent to an endpoint, and how to send it again. */
export function mountDeliveries(app: App) {
  app.operation(
    {
      method: "post",
      path: "/v1/webhooks/{webhook_id}/test",
      id: "testWebhook",
      tag,
      summary: "Send a test event",
      description: "Sends a `ping` to this webhook alone. Read the delivery to see what it answered.",
      idempotent: "replayed",
      params: webhookParams,
      answer: { status: 202, ...theDelivery },
      errors: ["NOT_FOUND", "CONFLICT"],
    },
    async (c, { params, once }) =>
      serializeDelivery(madeOf(c, await sendTest(c.get("ctx"), c.get("credential"), params.webhook_id, once))),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/webhooks/{webhook_id}/deliveries",
      id: "listDeliveries",
      tag,
      summary: "List a webhook's deliveries",
      description: "The newest event first, each with its attempts. A cursor belongs to the filters it was given for.",
      params: webhookParams,
      query: z.strictObject({
        ...pageQuery,
        state: z.enum(DELIVERY_STATES).optional(),
        event_type: z.enum([...EVENT_TYPES, "ping"]).optional(),
        turn: idParam.optional(),
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

  app.operation(
    {
      method: "post",
      path: "/v1/webhooks/{webhook_id}/replay",
      id: "replayEvents",
      tag,
      summary: "Replay the events of a time",
      description:
        "Sends again, under the same ids, what has failed or was never sent to this webhook, with `include_delivered` all. At " +
        "most 1000 events at a time; send the same request with the `cursor` to go on.",
      idempotent: "replayed",
      params: webhookParams,
      body: replaySchema,
      answer: { status: 202, description: "What is on its way.", schema: replayedSchema },
      errors: ["NOT_FOUND", "CONFLICT"],
    },
    async (c, { params, body, once }) =>
      madeOf(c, await replayEvents(c.get("ctx"), c.get("credential"), params.webhook_id, body, once)),
  )

  app.operation(
    {
      method: "get",
      path: "/v1/deliveries/{delivery_id}",
      id: "getDelivery",
      tag,
      summary: "Read a delivery",
      params: deliveryParams,
      answer: { status: 200, ...theDelivery },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) =>
      serializeDelivery(await getDelivery(c.get("ctx"), c.get("credential"), params.delivery_id)),
  )

  app.operation(
    {
      method: "post",
      path: "/v1/deliveries/{delivery_id}/redeliver",
      id: "redeliver",
      tag,
      summary: "Send a delivery again",
      description: "Whatever became of it before: at once, under the same id, with all its retries.",
      idempotent: "replayed",
      params: deliveryParams,
      answer: { status: 202, ...theDelivery },
      errors: ["NOT_FOUND", "CONFLICT"],
    },
    async (c, { params, once }) =>
      serializeDelivery(madeOf(c, await redeliver(c.get("ctx"), c.get("credential"), params.delivery_id, once))),
  )
}
