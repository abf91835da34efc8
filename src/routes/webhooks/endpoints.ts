import * as z from "zod"
import { timeInWords } from "../../base/in-words.ts"
import type { App } from "../../http/app.ts"
import { madeOf } from "../../http/idempotency.ts"
import { idParam } from "../../http/query.ts"
import { createWebhook } from "../../webhooks/create-webhook.ts"
import { type EndpointRow, serializeWebhook } from "../../webhooks/endpoint-row.ts"
import { getWebhook } from "../../webhooks/get-webhook.ts"
import { RETRY_TIMES, WEBHOOK_POLICY } from "../../webhooks/policies.ts"
import {
  createWebhookSchema,
  updateWebhookSchema,
  webhookSchema,
  webhookWithSecretSchema,
} from "../../webhooks/schemas.ts"
import { deleteWebhook, rotateSigningSecret, updateWebhook } from "../../webhooks/update-webhook.ts"
import type { Mounting } from "../mounting.ts"

const tag = "Webhooks"
const params = z.object({ webhook_id: idParam })
const theWebhook = { status: 200, description: "The webhook.", schema: webhookSchema } as const

/** One endpoint: made, read, changed, removed; the same for keys and for a signed-in owner. */
export function mountEndpoints(app: App, { prefix, query }: Mounting) {
  app.operation(
    {
      method: "post",
      path: `${prefix}/webhooks`,
      id: "createWebhook",
      tag,
      summary: "Register a webhook",
      description:
        "Events are posted to the URL as JSON, signed as Standard Webhooks says: `webhook-id`, " +
        "`webhook-timestamp` and `webhook-signature` (`v1,` + base64 HMAC-SHA256 of `id.timestamp.body`). " +
        `An answer of 2xx within ${timeInWords(WEBHOOK_POLICY.timeoutMs)} is success; a redirect is a failure. Failures are tried again after ` +
        `${RETRY_TIMES}, or later if the receiver sends Retry-After. A 410 ` +
        `disables the webhook, and so do ${timeInWords(WEBHOOK_POLICY.disableAfterMs)} in which every attempt fails. ` +
        "A later event of a turn " +
        "waits until the earlier ones were accepted or tried twice. The webhook receives the events that " +
        "the key which made it may see. First it is sent a `ping`, and everything else waits until it has answered that with 2xx: until " +
        "then its `state` is `pending`. An account has one webhook for a URL.",
      idempotent: "replayed",
      query: z.strictObject(query),
      body: createWebhookSchema,
      answer: {
        status: 201,
        description: "The webhook with its signing secret, which is shown only here.",
        schema: webhookWithSecretSchema,
        headers: { Location: "Its path." },
      },
      errors: ["LIMIT_REACHED", "WEBHOOK_EXISTS", "CONFLICT"],
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
      tag,
      summary: "Read a webhook",
      params,
      query: z.strictObject(query),
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
      tag,
      summary: "Change a webhook",
      description:
        "Changes the fields that you send. When you switch a webhook off, its pending deliveries fail; you " +
        "can replay them when it is on again. Another `url` has to answer a `ping` before it gets events.",
      params,
      query: z.strictObject(query),
      body: updateWebhookSchema,
      answer: theWebhook,
      errors: ["NOT_FOUND", "WEBHOOK_EXISTS"],
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
      tag,
      summary: "Remove a webhook",
      params,
      query: z.strictObject(query),
      answer: {
        status: 200,
        description: "The webhook and its deliveries are gone.",
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
      summary: "Rotate a webhook's secret",
      description:
        `For ${timeInWords(WEBHOOK_POLICY.rotationMs)} ` +
        "both secrets sign, each with a signature of its own. Receivers can change over at " +
        "any moment in that time. A second rotation within it ends no secret earlier. " +
        `At most ${WEBHOOK_POLICY.mostFormerSecrets} former secrets sign at a time.`,
      idempotent: "replayed",
      params,
      query: z.strictObject(query),
      answer: {
        status: 200,
        description: "The webhook with its new secret, which is shown only here.",
        schema: webhookWithSecretSchema,
      },
      errors: ["NOT_FOUND", "LIMIT_REACHED"],
    },
    async (c, { params: { webhook_id }, once }) => {
      const { webhook, secret } = madeOf(
        c,
        await rotateSigningSecret(c.get("ctx"), c.get("credential"), webhook_id, once),
      )
      return withSecret(webhook, secret, c.get("ctx").clock.now())
    },
  )
}

const withSecret = (row: EndpointRow, secret: string, now: Date) => ({ ...serializeWebhook(row, now), secret })
