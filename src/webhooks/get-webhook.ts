import { createHash } from "node:crypto"
import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential, SessionCredential } from "../identity/credential.ts"
import { keyReused } from "../identity/once.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { openSigningSecrets } from "./signing.ts"

/** An endpoint in the key's scope, or NOT_FOUND. */
export async function getWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<EndpointRow> {
  const { row } = await queryAs<{ webhook: EndpointRow | null }>(ctx, credential, {
    select: sql`select to_jsonb(w) as webhook from webhook_endpoints w, caller
      where w.webhook_id = ${webhookId} and ${endpointInScope}`,
  })
  if (!row.webhook) throw webhookNotFound(webhookId)
  return row.webhook
}

export interface WebhookWithSecret {
  webhook: EndpointRow
  secret: string
}

/** How a request that shows a secret is noted under its Idempotency-Key: by the endpoint, and which of its secrets it was. */
export const shownAs = (webhookId: string, secret: string) =>
  `${webhookId}/${createHash("sha256").update(secret).digest("hex").slice(0, 32)}`

/**
 * An endpoint with its secret, for a repeat of the request that has shown it (`shownAs`). NOT_FOUND; IDEMPOTENCY_KEY_REUSED when
 * the secret was rotated since: a repeat shows no newer one.
 */
export async function readWithSecret(ctx: Context, credential: Credential, shown: string): Promise<WebhookWithSecret> {
  const webhook = await getWebhook(ctx, credential, shown.split("/")[0] as string)
  const [secret = ""] = await openSigningSecrets(ctx, webhook)
  if (shown.includes("/") && shown !== shownAs(webhook.webhook_id, secret)) {
    throw keyReused("The webhook's secret was rotated since this Idempotency-Key was used.")
  }
  return { webhook, secret }
}

/** The same by place instead of by cursor, with how many there are. */
export async function findWebhooks(
  ctx: Context,
  credential: SessionCredential,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ webhooks: EndpointRow[]; total: number }> {
  const { row } = await queryAs<{ webhooks: EndpointRow[]; total: number }>(ctx, credential, {
    select: sql`select (select count(*)::integer from webhook_endpoints w, caller where ${endpointInScope}) as total,
      coalesce((select jsonb_agg(to_jsonb(w) order by w.webhook_id collate "C" desc) from (
        select w.* from webhook_endpoints w, caller where ${endpointInScope}
        order by w.webhook_id collate "C" desc limit ${limit} offset ${offset}) w), '[]') as webhooks`,
  })
  return row
}

/** The endpoints in the caller's scope, newest first. */
export async function listWebhooks(
  ctx: Context,
  credential: Credential,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<Page<EndpointRow>> {
  const after = decodeCursor(cursor, { list: "webhooks" })
  const { row } = await queryAs<{ webhooks: EndpointRow[] }>(ctx, credential, {
    select: sql`select coalesce(jsonb_agg(to_jsonb(w) order by w.webhook_id collate "C" desc), '[]') as webhooks from (
      select w.* from webhook_endpoints w, caller
      where ${endpointInScope} ${after ? sql`and w.webhook_id collate "C" < ${after}` : sql``}
      order by w.webhook_id collate "C" desc limit ${limit + 1}) w`,
  })
  const { webhooks } = row
  return toPage(webhooks.slice(0, limit), {
    more: webhooks.length > limit,
    filters: { list: "webhooks" },
    idOf: (webhook) => webhook.webhook_id,
  })
}
