import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, type Once, replay } from "../identity/once.ts"
import { checkUrl } from "../spaces/check-target.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { readWithSecret, shownAs, type WebhookWithSecret } from "./get-webhook.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { UpdateWebhook } from "./schemas.ts"
import { newSigningSecret, signingSecretPlace } from "./signing.ts"
import { givenUp, pendingOf } from "./sweep-stopped.ts"

/**
 * Changes what is named. Switching it off ends its pending deliveries as failed, visibly: they can be replayed. Switching it on
 * forgets its failures. NOT_FOUND, VALIDATION_FAILED.
 */
export async function updateWebhook(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  { url, events, description, enabled }: UpdateWebhook,
): Promise<EndpointRow> {
  if (url !== undefined) checkUrl(ctx, url, "url")
  const now = ctx.clock.now()
  const set: RawBuilder<unknown>[] = []
  // What another place, or the time before it was switched on, has seen of failures does not count.
  if (enabled === true) set.push(sql`failing_since = null`)
  else if (url !== undefined) set.push(sql`failing_since = case when w.url = ${url} then w.failing_since end`)
  if (url !== undefined) set.push(sql`url = ${url}`)
  if (events !== undefined) set.push(sql`events = ${events ? JSON.stringify(events) : null}::jsonb`)
  if (description !== undefined) set.push(sql`description = ${description}::text`)
  if (enabled === true) set.push(sql`disabled_at = null, disabled_reason = null`)
  if (enabled === false) {
    set.push(sql`disabled_at = coalesce(w.disabled_at, ${now}::timestamptz)`)
    set.push(sql`disabled_reason = coalesce(w.disabled_reason, 'customer')`)
  }
  const { webhook } = await changeEndpoint(ctx, credential, webhookId, {
    set: sql.join(set),
    ...(enabled === false && { failPending: "endpoint_disabled" }),
  })
  if (!webhook) throw webhookNotFound(webhookId)
  return webhook
}

/** Removes an endpoint; what was pending for it has failed. NOT_FOUND. */
export async function deleteWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<void> {
  const { webhook } = await changeEndpoint(ctx, credential, webhookId, {
    set: sql`deleted_at = ${ctx.clock.now()}::timestamptz`,
    failPending: "endpoint_deleted",
  })
  if (!webhook) throw webhookNotFound(webhookId)
}

/** Gives an endpoint a new secret; the one it had signs beside it for `rotationMs`. NOT_FOUND. */
export async function rotateSigningSecret(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  once?: Once,
): Promise<Made<WebhookWithSecret>> {
  const secret = newSigningSecret()
  const sealed = await ctx.keyRing.seal(secret, signingSecretPlace(webhookId))
  const until = new Date(ctx.clock.now().getTime() + WEBHOOK_POLICY.rotationMs)
  const { webhook, replayOf } = await changeEndpoint(ctx, credential, webhookId, {
    set: sql`previous_secret = w.secret, previous_until = ${until}::timestamptz, secret = ${sealed}`,
    shown: shownAs(webhookId, secret),
    once,
  })
  if (replayOf) return replay(readWithSecret(ctx, credential, replayOf))
  if (!webhook) throw webhookNotFound(webhookId)
  return { made: { webhook, secret }, replayed: false }
}

async function changeEndpoint(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  {
    set,
    failPending,
    shown,
    once,
  }: { set: RawBuilder<unknown>; failPending?: string; shown?: string; once?: Once | undefined },
): Promise<{ webhook: EndpointRow | null; replayOf: string | null }> {
  const now = ctx.clock.now()
  const { row, replayOf } = await queryAs<{ webhook: EndpointRow | null }>(ctx, credential, {
    ctes: sql`changed as (
      update webhook_endpoints w set ${set}, updated_at = ${now}::timestamptz ${failPending ? sql`, stopping = true` : sql``}
      from caller where w.webhook_id = ${webhookId} and ${endpointInScope}
      returning w.*
    )${
      failPending
        ? sql`, failed as (
      update webhook_deliveries d set ${givenUp(sql`${failPending}`, now)}
      from changed, lateral (${pendingOf(sql`changed.webhook_id`)}) as pending
      where d.delivery_id = pending.delivery_id and d.state = 'pending'
    )`
        : sql``
    }`,
    select: sql`select (select to_jsonb(changed) from changed) as webhook`,
    once,
    made: sql`select ${shown ?? null}::text from changed`,
  })
  return { webhook: row.webhook, replayOf }
}
