import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { decodeCursor, type Page, toPage } from "../pagination.ts"
import { type DeliveryRow, deliveryJson, deliveryNotFound } from "./delivery-row.ts"
import { endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Delivery } from "./schemas.ts"

export interface DeliveryFilters {
  state?: Delivery["state"] | undefined
  event_type?: string | undefined
  turn?: string | undefined
}

/** All that is shown of one delivery's attempts: a delivery is rarely sent again so often. */
const ALL_ATTEMPTS = 1000

/** An endpoint's deliveries, the newest event first; NOT_FOUND for an endpoint out of scope. */
export async function listDeliveries(
  ctx: Context,
  credential: Credential,
  input: { webhookId: string; filters: DeliveryFilters; limit: number; cursor?: string | undefined },
): Promise<Page<DeliveryRow>> {
  const { webhookId, limit } = input
  const filters = { deliveries_of: webhookId, ...input.filters }
  const after = decodeCursor(input.cursor, filters)
  const where: RawBuilder<unknown>[] = [sql`d.webhook_id = (select webhook_id from target)`]
  if (after) where.push(sql`d.delivery_id collate "C" < ${after}`)
  if (filters.state) where.push(sql`d.state = ${filters.state}`)
  if (filters.event_type) where.push(sql`e.type = ${filters.event_type}`)
  if (filters.turn) where.push(sql`d.turn_id = ${filters.turn}`)
  const { row } = await queryAs<{ found: boolean; deliveries: DeliveryRow[] }>(ctx, credential, {
    ctes: sql`target as materialized (
      select w.webhook_id from webhook_endpoints w, caller where w.webhook_id = ${webhookId} and ${endpointInScope})`,
    select: sql`select exists (select 1 from target) as found, coalesce((
      select jsonb_agg(page.delivery order by page.delivery_id collate "C" desc) from (
        select d.delivery_id, ${deliveryJson(WEBHOOK_POLICY.attemptsListed)} as delivery
        from webhook_deliveries d join events e on e.event_id = d.event_id
        where ${sql.join(where, sql` and `)}
        order by d.delivery_id collate "C" desc limit ${limit + 1}
      ) page), '[]') as deliveries`,
  })
  if (!row.found) throw webhookNotFound(webhookId)
  const { deliveries } = row
  return toPage(deliveries.slice(0, limit), {
    more: deliveries.length > limit,
    filters,
    idOf: (delivery) => delivery.delivery_id,
  })
}

/** One delivery with all its attempts, or NOT_FOUND. */
export async function getDelivery(ctx: Context, credential: Credential, deliveryId: string): Promise<DeliveryRow> {
  const { row } = await queryAs<{ delivery: DeliveryRow | null }>(ctx, credential, {
    select: sql`select ${deliveryJson(ALL_ATTEMPTS)} as delivery
      from webhook_deliveries d join events e on e.event_id = d.event_id
        join webhook_endpoints w on w.webhook_id = d.webhook_id, caller
      where d.delivery_id = ${deliveryId} and ${endpointInScope}`,
  })
  if (!row.delivery) throw deliveryNotFound(deliveryId)
  return row.delivery
}
