import { sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"

/** An endpoint in the key's scope, or NOT_FOUND. */
export async function getWebhook(ctx: Context, credential: Credential, webhookId: string): Promise<EndpointRow> {
  const { row } = await queryAs<{ webhook: EndpointRow | null }>(ctx, credential, {
    select: sql`select to_jsonb(w) as webhook from webhook_endpoints w, caller
      where w.webhook_id = ${webhookId} and ${endpointInScope}`,
  })
  if (!row.webhook) throw webhookNotFound(webhookId)
  return row.webhook
}

/** The endpoints in the key's scope, newest first. */
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
