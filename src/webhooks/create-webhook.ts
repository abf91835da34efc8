import { sql } from "kysely"
import type { Context } from "../context.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, type Once, replay } from "../identity/once.ts"
import { violates } from "../platform/db.ts"
import { newId } from "../platform/ids.ts"
import { checkUrl } from "../spaces/check-target.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { readWithSecret, shownAs, type WebhookWithSecret } from "./get-webhook.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { CreateWebhook } from "./schemas.ts"
import { newSigningSecret, signingSecretPlace } from "./signing.ts"

/**
 * Registers an endpoint, which hears of what the key may see, and returns it with its signing secret. VALIDATION_FAILED for a
 * URL that may not be called, CONFLICT when the account has as many as it may.
 */
export async function createWebhook(
  ctx: Context,
  credential: Credential,
  input: CreateWebhook,
  once?: Once,
): Promise<Made<WebhookWithSecret>> {
  checkUrl(ctx, input.url, "url")
  const webhookId = newId("webhook", ctx.clock.now())
  const secret = newSigningSecret()
  const sealed = await ctx.keyRing.seal(secret, signingSecretPlace(webhookId))
  const shown = shownAs(webhookId, secret)
  // Two at the same moment take the same slot: the second tries again.
  for (let attempt = 0; attempt < WEBHOOK_POLICY.maxEndpoints; attempt++) {
    try {
      const { webhook, replayOf } = await insertEndpoint(ctx, credential, { webhookId, sealed, shown, input, once })
      if (replayOf) return await replay(readWithSecret(ctx, credential, replayOf))
      if (webhook) return { made: { webhook, secret }, replayed: false }
      throw new TurnpikeError("LIMIT_REACHED", `An account has at most ${WEBHOOK_POLICY.maxEndpoints} webhooks.`)
    } catch (error) {
      if (!violates(error, "webhook_endpoints_slot")) throw error
    }
  }
  throw new TurnpikeError("CONFLICT", "Too many webhooks are being made at the same moment.")
}

async function insertEndpoint(
  ctx: Context,
  credential: Credential,
  {
    webhookId,
    sealed,
    shown,
    input,
    once,
  }: { webhookId: string; sealed: string; shown: string; input: CreateWebhook; once: Once | undefined },
): Promise<{ webhook: EndpointRow | null; replayOf: string | null }> {
  const now = ctx.clock.now()
  const { row, replayOf } = await queryAs<{ webhook: EndpointRow | null }>(ctx, credential, {
    ctes: sql`slot as materialized (
      select min(n) as n from caller, generate_series(1, ${WEBHOOK_POLICY.maxEndpoints}::integer) as n
      where not exists (select 1 from webhook_endpoints w
        where w.user_id = caller.user_id and w.test = caller.test and w.deleted_at is null and w.slot = n)
    ), made as (
      insert into webhook_endpoints (webhook_id, user_id, test, key_id, scope, space_id, url, events, description, secret,
        slot, created_at, updated_at)
      select ${webhookId}, user_id, test, key_id, scope, space_id, ${input.url},
        ${input.events ? JSON.stringify(input.events) : null}::jsonb, ${input.description ?? null}::text, ${sealed},
        slot.n, ${now}::timestamptz, ${now}::timestamptz
      from caller, slot where slot.n is not null
      returning *
    )`,
    select: sql`select (select to_jsonb(made) from made) as webhook`,
    once,
    made: sql`select ${shown}::text from made`,
  })
  return { webhook: row.webhook, replayOf }
}
