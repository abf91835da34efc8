import * as z from "zod"
import { countInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam, pageQuery, strictQuery } from "../../http/query.ts"
import { serializeDelivery } from "../../webhooks/delivery-row.ts"
import { getDelivery } from "../../webhooks/list-deliveries.ts"
import { WEBHOOK_POLICY } from "../../webhooks/policies.ts"
import { deliverySchema, replayedSchema, replaySchema } from "../../webhooks/schemas.ts"
import {
  REDELIVER_ERRORS,
  REPLAY_EVENTS_ERRORS,
  redeliver,
  replayEvents,
  SEND_TEST_ERRORS,
  sendTest,
} from "../../webhooks/send-again.ts"
import type { Mounting } from "../mounting.ts"

const tag = "Webhooks"
const webhookParams = z.object({ webhook_id: idParam })
const deliveryParams = z.object({ delivery_id: idParam })
const theDelivery = { description: "The delivery.", schema: deliverySchema } as const

/** The example of a delivery that waits for its next attempt. */
const PENDING = { state: "pending", next_attempt_at: "2026-01-15T09:30:00.000Z", finished_at: null }
const FAILED = {
  attempt: 1,
  created_at: "2026-01-14T18:02:11.000Z",
  status: 503,
  error: null,
  answer: "busy",
  location: null,
  duration_ms: 84,
  request_headers: {
    "content-type": "application/json",
    "user-agent": "Turnpike-Webhooks",
    "webhook-id": "evt_01jd3k9m2x4t8r5w6y7z0a1b2c",
    "webhook-timestamp": "1768413731",
  },
}

export function mountSendAgain(app: App, { prefix, query }: Mounting) {
  app.operation(
    {
      method: "post",
      path: `${prefix}/webhooks/{webhook_id}/test`,
      id: "testWebhook",
      tag,
      summary: "Send a test event",
      description:
        "Sends a `ping` to this webhook only. Read the delivery to see the response of your server. A webhook that is `pending` becomes " +
        "verified if the response is 2xx.",
      idempotent: "replayed",
      params: webhookParams,
      query: strictQuery(query),
      answer: { status: 202, ...theDelivery },
      errors: SEND_TEST_ERRORS,
      example: { answer: { ...PENDING, event_type: "ping", turn_id: null, attempt_count: 0, attempts: [] } },
    },
    async (c, { params, once }) =>
      serializeDelivery(madeOf(c, await sendTest(c.get("ctx"), c.get("credential"), params.webhook_id, once))),
  )

  app.operation(
    {
      method: "post",
      path: `${prefix}/webhooks/{webhook_id}/replay`,
      id: "replayEvents",
      tag,
      summary: "Replay the events of a period",
      description:
        "Sends again, under the same ids, the events that failed or were never sent to this webhook. With " +
        "`include_delivered`, all events are sent again. " +
        `One request sends at most ${countInWords(WEBHOOK_POLICY.replayBatch)} events: ` +
        "to continue, send the same request with the " +
        "`cursor` of the response. " +
        `Within an hour, at most ${countInWords(WEBHOOK_POLICY.resendsAnHour.live)} events can be sent again to one webhook, and ` +
        `${countInWords(WEBHOOK_POLICY.resendsAnHour.test)} by a test key. ` +
        "Beyond that, the response is 429 with " +
        "`Retry-After`.",
      idempotent: "replayed",
      params: webhookParams,
      query: z.strictObject({
        ...query,
        cursor: pageQuery.cursor.meta({ description: "The `cursor` of the previous response, to continue." }),
      }),
      body: replaySchema,
      answer: { status: 202, description: "The deliveries that were scheduled.", schema: replayedSchema },
      errors: REPLAY_EVENTS_ERRORS,
    },
    async (c, { params, query: { cursor }, body, once }) => {
      const input = { ...body, cursor }
      return madeOf(c, await replayEvents(c.get("ctx"), c.get("credential"), params.webhook_id, input, once))
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/deliveries/{delivery_id}`,
      id: "getDelivery",
      tag,
      summary: "Read a delivery",
      params: deliveryParams,
      query: strictQuery(query),
      answer: { status: 200, ...theDelivery },
      errors: ["NOT_FOUND"],
    },
    async (c, { params }) =>
      serializeDelivery(await getDelivery(c.get("ctx"), c.get("credential"), params.delivery_id)),
  )

  app.operation(
    {
      method: "post",
      path: `${prefix}/deliveries/{delivery_id}/redeliver`,
      id: "redeliver",
      tag,
      summary: "Send a delivery again",
      description:
        "Sends the delivery at once, under the same id and with all retries. It can be delivered, failed or pending.",
      idempotent: "replayed",
      params: deliveryParams,
      query: strictQuery(query),
      answer: { status: 202, ...theDelivery },
      errors: REDELIVER_ERRORS,
      example: { answer: { ...PENDING, attempts: [FAILED] } },
    },
    async (c, { params, once }) =>
      serializeDelivery(madeOf(c, await redeliver(c.get("ctx"), c.get("credential"), params.delivery_id, once))),
  )
}
