import * as z from "zod"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import type { Tagged } from "../../http/preconditions.ts"
import { idParam, strictQuery, wholeParam } from "../../http/query.ts"
import { CREATE_WEBHOOK_ERRORS, createWebhook } from "../../webhooks/create-webhook.ts"
import { type EndpointRow, serializeWebhook } from "../../webhooks/endpoint-row.ts"
import { getWebhook } from "../../webhooks/get-webhook.ts"
import { RETRY_TIMES, WEBHOOK_POLICY } from "../../webhooks/policies.ts"
import {
  createWebhookSchema,
  updateWebhookSchema,
  type Webhook,
  webhookSchema,
  webhookWithSecretSchema,
} from "../../webhooks/schemas.ts"
import {
  deleteWebhook,
  ROTATE_SIGNING_SECRET_ERRORS,
  rotateSigningSecret,
  UPDATE_WEBHOOK_ERRORS,
  updateWebhook,
} from "../../webhooks/update-webhook.ts"
import type { Mounting } from "../mounting.ts"

const tag = "Webhooks"
const params = z.object({ webhook_id: idParam })
/** The ETag changes with what requests can change, and not with each delivery. */
const settings: Tagged = {
  of: ({ url, events, description, enabled }: Webhook) => ({ url, events, description, enabled }),
}
const overlapParam = wholeParam(0, WEBHOOK_POLICY.rotationMs / 1000)
  .default(WEBHOOK_POLICY.rotationMs / 1000)
  .meta({
    description: "The time in seconds for which the old secret also signs. 0: only the new secret signs from now on.",
  })
const theWebhook = { status: 200, description: "The webhook.", schema: webhookSchema } as const

/** Create, read, update and delete a webhook. Mounted for keys and for a signed-in owner. */
export function mountEndpoints(app: App, { prefix, query }: Mounting) {
  app.operation(
    {
      method: "post",
      path: `${prefix}/webhooks`,
      id: "createWebhook",
      tag,
      summary: "Register a webhook",
      description:
        "Events are posted to the URL as JSON and signed according to Standard Webhooks: `webhook-id`, " +
        "`webhook-timestamp` and `webhook-signature` (`v1,` + base64 HMAC-SHA256 of `id.timestamp.body`). " +
        `A 2xx response within ${timeInWords(WEBHOOK_POLICY.timeoutMs)} is a success; a redirect is a failure. Failed attempts are retried after ` +
        `${RETRY_TIMES}, or later if the receiver sends Retry-After. A 410 ` +
        `disables the webhook, and so do ${timeInWords(WEBHOOK_POLICY.disableAfterMs)} in which every attempt fails. ` +
        "A later event of a turn " +
        "waits until the earlier ones were accepted or tried twice. The webhook receives the events that " +
        "the key that created it can see. The first event is a `ping`. All other events wait until it has been answered with 2xx; until " +
        "then the webhook's `state` is `pending`. An account can have only one webhook per URL.",
      idempotent: "replayed",
      query: strictQuery(query),
      body: createWebhookSchema,
      answer: {
        status: 201,
        description: "The webhook with its signing secret, which only this response shows.",
        schema: webhookWithSecretSchema,
        headers: { Location: "The webhook's path." },
      },
      errors: CREATE_WEBHOOK_ERRORS,
    },
    async (c, { body, once }) => {
      const { webhook, secret } = madeOf(c, await createWebhook(c.get("ctx"), c.get("credential"), body, once))
      c.header("Location", `${prefix}/webhooks/${webhook.webhook_id}`)
      return withSecret(webhook, secret, c.get("ctx").clock.now())
    },
  )

  app.operation(
    {
      method: "get",
      path: `${prefix}/webhooks/{webhook_id}`,
      id: "getWebhook",
      tagged: settings,
      tag,
      summary: "Read a webhook",
      params,
      query: strictQuery(query),
      answer: theWebhook,
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { webhook_id } }) =>
      serializeWebhook(await getWebhook(c.get("ctx"), c.get("credential"), webhook_id), c.get("ctx").clock.now()),
  )

  app.operation(
    {
      method: "patch",
      path: `${prefix}/webhooks/{webhook_id}`,
      id: "updateWebhook",
      tagged: settings,
      tag,
      summary: "Change a webhook",
      description:
        "Changes the fields that you send. If you disable a webhook, its pending deliveries fail. You " +
        "can replay them after you enable it again. A new `url` must answer a `ping` before it receives events.",
      params,
      query: strictQuery(query),
      body: updateWebhookSchema,
      answer: theWebhook,
      errors: UPDATE_WEBHOOK_ERRORS,
    },
    async (c, { params: { webhook_id }, body }) => {
      const row = await updateWebhook(c.get("ctx"), c.get("credential"), webhook_id, body)
      return serializeWebhook(row, c.get("ctx").clock.now())
    },
  )

  app.operation(
    {
      method: "delete",
      path: `${prefix}/webhooks/{webhook_id}`,
      id: "deleteWebhook",
      tagged: settings,
      tag,
      summary: "Delete a webhook",
      params,
      query: strictQuery(query),
      answer: {
        status: 200,
        description: "The webhook and its deliveries are deleted.",
        schema: z.object({ webhook_id: z.string(), deleted: z.literal(true) }),
      },
      errors: ["NOT_FOUND"],
    },
    async (c, { params: { webhook_id } }) => {
      await deleteWebhook(c.get("ctx"), c.get("credential"), webhook_id)
      return { webhook_id, deleted: true as const }
    },
  )

  app.operation(
    {
      method: "post",
      path: `${prefix}/webhooks/{webhook_id}/rotate-secret`,
      id: "rotateWebhookSecret",
      tag,
      summary: "Rotate a webhook's signing secret",
      description:
        "For `overlap_seconds`, " +
        "each event has two signatures: one with the old secret and one with the new. Receivers can switch at " +
        "any time within this period. A second rotation within it does not shorten the life of any secret, but " +
        "`overlap_seconds=0` ends all old secrets at once: use it if one has leaked. " +
        `At most ${WEBHOOK_POLICY.mostFormerSecrets} old secrets can sign at a time.`,
      idempotent: "replayed",
      params,
      query: z.strictObject({ ...query, overlap_seconds: overlapParam }),
      answer: {
        status: 200,
        description: "The webhook with its new secret, which only this response shows.",
        schema: webhookWithSecretSchema,
      },
      errors: ROTATE_SIGNING_SECRET_ERRORS,
    },
    async (c, { params: { webhook_id: webhookId }, query: { overlap_seconds: overlapSeconds }, once }) => {
      const { webhook, secret } = madeOf(
        c,
        await rotateSigningSecret(c.get("ctx"), c.get("credential"), { webhookId, overlapSeconds }, once),
      )
      return withSecret(webhook, secret, c.get("ctx").clock.now())
    },
  )
}

const withSecret = (row: EndpointRow, secret: string, now: Date) => ({ ...serializeWebhook(row, now), secret })
