import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** What a delivery becomes when its endpoint stops. */
export const givenUp = (reason: RawBuilder<unknown>, now: Date) => sql`state = 'failed', status_reason = ${reason},
  next_attempt_at = null, lease_until = null, finished_at = ${now}::timestamptz`

/** The next pending deliveries of an endpoint that stops, as many as one statement gives up. */
export const pendingOf = (webhookId: RawBuilder<unknown>, onlyIf = sql`true`) => sql`
  select p.delivery_id from webhook_deliveries p
  where p.webhook_id = ${webhookId} and p.state = 'pending' and ${onlyIf} limit ${WEBHOOK_POLICY.stopBatch}::integer`

/**
 * Gives up what is left of endpoints that were disabled or removed: what one statement did not take, and the events whose
 * commits were under way. An endpoint is done with when nothing is left some minutes later, or when it is on again.
 */
export async function sweepStoppedWebhooks(ctx: Context): Promise<{ given_up: number }> {
  const { rows } = await sql<{ webhook_id: string }>`select webhook_id from webhook_endpoints where stopping
    order by updated_at limit ${WEBHOOK_POLICY.sweepBatch}`.execute(ctx.db)
  let count = 0
  for (const { webhook_id } of rows) {
    for (let batch = 0; batch < WEBHOOK_POLICY.stopBatches; batch++) {
      const givenUp = await giveUp(ctx, webhook_id)
      if (givenUp === 0) break
      count += givenUp
    }
  }
  return { given_up: count }
}

async function giveUp(ctx: Context, webhookId: string): Promise<number> {
  const now = ctx.clock.now()
  const settled = new Date(now.getTime() - WEBHOOK_POLICY.stopSettlesMs)
  const reason = sql`case when endpoint.deleted_at is not null then 'endpoint_deleted'
    when endpoint.disabled_reason = 'customer' then 'endpoint_disabled'
    when endpoint.disabled_reason = 'account_disabled' then 'account_disabled' else 'endpoint_' || endpoint.disabled_reason end`
  const { rows } = await sql<{ count: number }>`with endpoint as materialized (
      select w.* from webhook_endpoints w where w.webhook_id = ${webhookId} for no key update
    ), failed as (
      update webhook_deliveries d set ${givenUp(reason, now)}
      from endpoint, (${pendingOf(sql`${webhookId}`)}) as pending
      where d.delivery_id = pending.delivery_id and d.state = 'pending'
        and (endpoint.deleted_at is not null or endpoint.disabled_at is not null)
      returning 1
    ), done as (
      update webhook_endpoints w set stopping = false from endpoint
      where w.webhook_id = endpoint.webhook_id and w.stopping and not exists (select 1 from failed)
        and ((w.deleted_at is null and w.disabled_at is null) or w.updated_at <= ${settled}::timestamptz)
    ) select count(*)::integer as count from failed`.execute(ctx.db)
  return rows[0]?.count ?? 0
}
