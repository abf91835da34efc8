import type { Context } from "../context.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, replay } from "../identity/once.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { getWebhook } from "./get-webhook.ts"
import { signingSecretPlace } from "./signing.ts"

export interface WebhookWithSecret {
  webhook: EndpointRow
  secret: string
}

/** What was answered with a secret, again, for a repeat under its Idempotency-Key: the secret that the endpoint has now. */
export async function replayWithSecret(
  ctx: Context,
  credential: Credential,
  webhookId: string,
): Promise<Made<WebhookWithSecret>> {
  const { made: webhook } = await replay(getWebhook(ctx, credential, webhookId))
  const { text: secret } = await ctx.keyRing.open(webhook.secret, signingSecretPlace(webhookId))
  return { made: { webhook, secret }, replayed: true }
}
