import type { Credential } from "../actor/actor.ts"
import { callAs, callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Made, type Once, replay } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { checkUrl } from "../platform/public-url.ts"
import { type EndpointRow, targetOf, webhookExists, webhookNotFound } from "./endpoint-row.ts"
import { readWithSecret, shownAs, type WebhookWithSecret } from "./get-webhook.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { UpdateWebhook } from "./schemas.ts"
import { newSigningSecret, signingSecretTarget } from "./signing.ts"

export const UPDATE_WEBHOOK_ERRORS = ["NOT_FOUND", "WEBHOOK_EXISTS"] as const

/**
 * Changes the given fields. Disabling the endpoint fails its pending deliveries, which can be
 * replayed; enabling it clears its failures. A new URL must answer a ping first. Throws NOT_FOUND,
 * VALIDATION_FAILED or WEBHOOK_EXISTS.
 */
export async function updateWebhook(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  changes: UpdateWebhook,
): Promise<EndpointRow> {
  if (changes.url !== undefined) checkUrl(ctx, changes.url, "url")
  const { actor, row } = await callAs(ctx, credential, "update_webhook", {
    webhook_id: webhookId,
    changes,
    target: changes.url === undefined ? null : targetOf(changes.url),
    event_id: newId("event", ctx.clock.now()),
    stop_batch: WEBHOOK_POLICY.stopBatch,
  })
  if (row.refused) throw webhookExists(changes.url ?? "")
  if (!row.webhook) throw webhookNotFound(webhookId)
  if (row.pinged) wakeWebhooks(ctx, { ...actor, has_subscriber: true })
  return row.webhook as EndpointRow
}

/** Removes an endpoint; its pending deliveries fail. Throws NOT_FOUND. */
export async function deleteWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<void> {
  const { row } = await callAs(ctx, credential, "remove_webhook", {
    webhook_id: webhookId,
    stop_batch: WEBHOOK_POLICY.stopBatch,
  })
  if (!row.removed) throw webhookNotFound(webhookId)
}

export const ROTATE_SIGNING_SECRET_ERRORS = ["NOT_FOUND", "LIMIT_REACHED", "IDEMPOTENCY_KEY_REUSED"] as const

/**
 * Gives an endpoint a new secret. The former one also signs for `overlapSeconds`; 0 ends all former ones at once.
 * Throws NOT_FOUND or LIMIT_REACHED.
 */
export async function rotateSigningSecret(
  ctx: Context,
  credential: Credential,
  { webhookId, overlapSeconds }: { webhookId: string; overlapSeconds: number },
  once?: Once,
): Promise<Made<WebhookWithSecret>> {
  const secret = newSigningSecret()
  const { row, replayOf } = await callOnce(ctx, credential, "rotate_signing_secret", {
    once,
    args: {
      webhook_id: webhookId,
      secret: await ctx.keyRing.seal(secret, signingSecretTarget(webhookId)),
      shown: shownAs(webhookId, secret),
      until: overlapSeconds > 0 ? new Date(ctx.clock.now().getTime() + overlapSeconds * 1000) : null,
      most_former: WEBHOOK_POLICY.mostFormerSecrets,
    },
  })
  if (replayOf) return replay(readWithSecret(ctx, credential, replayOf))
  if (row.refused) throw tooManyFormer()
  if (!row.webhook) throw webhookNotFound(webhookId)
  return { made: { webhook: row.webhook as EndpointRow, secret }, replayed: false }
}

const tooManyFormer = () =>
  new TurnpikeError(
    "LIMIT_REACHED",
    `${WEBHOOK_POLICY.mostFormerSecrets} former secrets of this webhook still sign. Wait until one of them expires, or rotate with ` +
      "overlap_seconds 0, which ends them all.",
    { param: "overlap_seconds" },
  )
