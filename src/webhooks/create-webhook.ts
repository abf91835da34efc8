import type { Credential } from "../actor/actor.ts"
import { callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Made, type Once, replay } from "../actor/once.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { checkUrl } from "../platform/public-url.ts"
import { type EndpointRow, targetOf, webhookExists } from "./endpoint-row.ts"
import { readWithSecret, shownAs, type WebhookWithSecret } from "./get-webhook.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { CreateWebhook } from "./schemas.ts"
import { newSigningSecret, signingSecretTarget } from "./signing.ts"

export const CREATE_WEBHOOK_ERRORS = ["LIMIT_REACHED", "WEBHOOK_EXISTS", "IDEMPOTENCY_KEY_REUSED"] as const

/**
 * Registers an endpoint, and returns it with its signing secret. It gets events once it has answered a
 * ping. Throws VALIDATION_FAILED for a URL that may not be called, WEBHOOK_EXISTS or LIMIT_REACHED.
 */
export async function createWebhook(
  ctx: Context,
  credential: Credential,
  { url, events, description, ping }: CreateWebhook,
  once?: Once,
): Promise<Made<WebhookWithSecret>> {
  checkUrl(ctx, url, "url")
  const webhookId = newId("webhook", ctx.clock.now())
  const secret = newSigningSecret()
  const { actor, row, replayOf } = await callOnce(ctx, credential, "create_webhook", {
    once,
    args: {
      webhook_id: webhookId,
      url,
      events: events ?? null,
      description: description ?? null,
      secret: await ctx.keyRing.seal(secret, signingSecretTarget(webhookId)),
      shown: shownAs(webhookId, secret),
      most: WEBHOOK_POLICY.maxEndpoints,
      target: targetOf(url),
      event_id: ping ? newId("event", ctx.clock.now()) : null,
    },
  })
  if (replayOf) return replay(readWithSecret(ctx, credential, replayOf))
  if (row.refused === "exists") throw webhookExists(url)
  if (row.webhook) {
    wakeWebhooks(ctx, { ...actor, has_subscriber: ping })
    return { made: { webhook: row.webhook as EndpointRow, secret }, replayed: false }
  }
  throw new TurnpikeError("LIMIT_REACHED", `An account has at most ${WEBHOOK_POLICY.maxEndpoints} webhooks.`)
}
