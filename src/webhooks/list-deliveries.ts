import { type RawBuilder, sql } from "kysely"
import type { Context } from "../context.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential, SessionCredential } from "../identity/credential.ts"
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
  const where = conditions(input.filters)
  if (after) where.push(sql`d.delivery_id collate "C" < ${after}`)
  const { row } = await queryAs<{ found: boolean; deliveries: DeliveryRow[] }>(ctx, credential, {
    ctes: targetCte(webhookId),
    select: sql`select exists (select 1 from target) as found, ${deliveryPage(where, { limit: limit + 1, offset: 0 })} as deliveries`,
  })
  if (!row.found) throw webhookNotFound(webhookId)
  const { deliveries } = row
  return toPage(deliveries.slice(0, limit), {
    more: deliveries.length > limit,
    filters,
    idOf: (delivery) => delivery.delivery_id,
  })
}

/** The same by place instead of by cursor, with how many there are. */
export async function findDeliveries(
  ctx: Context,
  credential: SessionCredential,
  input: { webhookId: string; filters: DeliveryFilters; limit: number; offset: number },
): Promise<{ deliveries: DeliveryRow[]; total: number }> {
  const where = conditions(input.filters)
  type Row = { found: boolean; deliveries: DeliveryRow[]; total: number }
  const { row } = await queryAs<Row>(ctx, credential, {
    ctes: targetCte(input.webhookId),
    select: sql`select exists (select 1 from target) as found, ${deliveryPage(where, input)} as deliveries, (
      select count(*)::integer from webhook_deliveries d join events e on e.event_id = d.event_id
      where ${sql.join(where, sql` and `)}) as total`,
  })
  if (!row.found) throw webhookNotFound(input.webhookId)
  return row
}

function targetCte(webhookId: string): RawBuilder<unknown> {
  return sql`target as materialized (
    select w.webhook_id from webhook_endpoints w, caller where w.webhook_id = ${webhookId} and ${endpointInScope})`
}

function conditions({ state, event_type, turn }: DeliveryFilters): RawBuilder<unknown>[] {
  const where: RawBuilder<unknown>[] = [sql`d.webhook_id = (select webhook_id from target)`]
  if (state) where.push(sql`d.state = ${state}`)
  if (event_type) where.push(sql`e.type = ${event_type}`)
  if (turn) where.push(sql`d.turn_id = ${turn}`)
  return where
}

function deliveryPage(where: RawBuilder<unknown>[], { limit, offset }: { limit: number; offset: number }) {
  return sql`coalesce((
    select jsonb_agg(page.delivery order by page.delivery_id collate "C" desc) from (
      select d.delivery_id, ${deliveryJson(WEBHOOK_POLICY.attemptsListed)} as delivery
      from webhook_deliveries d join events e on e.event_id = d.event_id
      where ${sql.join(where, sql` and `)}
      order by d.delivery_id collate "C" desc limit ${limit}::integer offset ${offset}::integer
    ) page), '[]')`
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
