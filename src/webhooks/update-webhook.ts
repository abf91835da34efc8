import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { checkUrl } from "../spaces/check-target.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { UpdateWebhook } from "./schemas.ts"
import { newSigningSecret, signingSecretPlace } from "./signing.ts"

/**
 * Changes what is named. Switching it off ends its pending deliveries as failed, visibly: they can be replayed. Switching it on
 * forgets its failures. NOT_FOUND, VALIDATION_FAILED.
 */
export function updateWebhook(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  { url, events, description, enabled }: UpdateWebhook,
): Promise<EndpointRow> {
  if (url !== undefined) checkUrl(ctx, url, "url")
  const now = ctx.clock.now()
  const set: RawBuilder<unknown>[] = []
  if (url !== undefined) set.push(sql`url = ${url}`)
  if (events !== undefined) set.push(sql`events = ${events ? JSON.stringify(events) : null}::jsonb`)
  if (description !== undefined) set.push(sql`description = ${description}::text`)
  if (enabled === true) set.push(sql`disabled_at = null, disabled_reason = null, failing_since = null`)
  if (enabled === false) {
    set.push(sql`disabled_at = coalesce(w.disabled_at, ${now}::timestamptz)`)
    set.push(sql`disabled_reason = coalesce(w.disabled_reason, 'customer')`)
  }
  return changeEndpoint(ctx, credential, webhookId, {
    set: sql.join(set),
    ...(enabled === false && { failPending: "endpoint_disabled" }),
  })
}

/** Removes an endpoint; what was pending for it has failed. NOT_FOUND. */
export async function deleteWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<void> {
  await changeEndpoint(ctx, credential, webhookId, {
    set: sql`deleted_at = ${ctx.clock.now()}::timestamptz`,
    failPending: "endpoint_deleted",
  })
}

/** Gives an endpoint a new secret; the one it had signs beside it for `rotationMs`. NOT_FOUND. */
export async function rotateSigningSecret(
  ctx: Context,
  credential: Credential,
  webhookId: string,
): Promise<{ webhook: EndpointRow; secret: string }> {
  const secret = newSigningSecret()
  const sealed = await ctx.keyRing.seal(secret, signingSecretPlace(webhookId))
  const until = new Date(ctx.clock.now().getTime() + WEBHOOK_POLICY.rotationMs)
  const webhook = await changeEndpoint(ctx, credential, webhookId, {
    set: sql`previous_secret = w.secret, previous_until = ${until}::timestamptz, secret = ${sealed}`,
  })
  return { webhook, secret }
}

async function changeEndpoint(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  { set, failPending }: { set: RawBuilder<unknown>; failPending?: string },
): Promise<EndpointRow> {
  const now = ctx.clock.now()
  const { row } = await queryAs<{ webhook: EndpointRow | null }>(ctx, credential, {
    ctes: sql`changed as (
      update webhook_endpoints w set ${set}, updated_at = ${now}::timestamptz
      from caller where w.webhook_id = ${webhookId} and ${endpointInScope}
      returning w.*
    )${
      failPending
        ? sql`, failed as (
      update webhook_deliveries d set state = 'failed', status_reason = ${failPending}, next_attempt_at = null,
        lease_until = null, finished_at = ${now}::timestamptz
      from changed where d.webhook_id = changed.webhook_id and d.state = 'pending'
    )`
        : sql``
    }`,
    select: sql`select (select to_jsonb(changed) from changed) as webhook`,
  })
  if (!row.webhook) throw webhookNotFound(webhookId)
  return row.webhook
}
