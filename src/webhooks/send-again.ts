import { sql } from "kysely"
import type { Context } from "../context.ts"
import { createdBetween } from "../created-between.ts"
import { TurnpikeError } from "../errors.ts"
import { queryAs } from "../identity/actor.ts"
import type { Credential } from "../identity/credential.ts"
import { type Made, type Once, replay } from "../identity/once.ts"
import { decodeCursor, toPage } from "../pagination.ts"
import { newId } from "../platform/ids.ts"
import { type DeliveryRow, deliveryJson, deliveryNotFound } from "./delivery-row.ts"
import { type EndpointRow, endpointInScope, webhookNotFound } from "./endpoint-row.ts"
import { getDelivery } from "./list-deliveries.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Replay, Replayed } from "./schemas.ts"
import { wakeWebhooks } from "./wake-webhooks.ts"

/** What puts a delivery `d` back to the beginning of its retry schedule. */
const startAgain = (now: Date) => sql`state = 'pending', status_reason = null, round = 0, lease_until = null,
  next_attempt_at = ${now}::timestamptz, finished_at = null`

// The statements below lock the endpoint before its deliveries, as those do that record attempts or stop it: so that none of
// them is the other's deadlock, and what is on its way again is on its way to an endpoint that is on.

/** Sends a delivery's event again, under the same id, whatever became of it before. NOT_FOUND, CONFLICT for a disabled endpoint. */
export async function redeliver(
  ctx: Context,
  credential: Credential,
  deliveryId: string,
  once?: Once,
): Promise<Made<DeliveryRow>> {
  const now = ctx.clock.now()
  type Row = { endpoint: EndpointRow | null; delivery: DeliveryRow | null }
  const { row, replayOf } = await queryAs<Row>(ctx, credential, {
    ctes: sql`target as materialized (
      select d.delivery_id, w.* from webhook_deliveries d join webhook_endpoints w on w.webhook_id = d.webhook_id, caller
      where d.delivery_id = ${deliveryId} and ${endpointInScope}
      for no key update of w
    ), again as (
      update webhook_deliveries d set ${startAgain(now)} from target
      where d.delivery_id = target.delivery_id and target.disabled_at is null
      returning d.*
    )`,
    select: sql`select (select to_jsonb(target) from target) as endpoint, (
      select ${deliveryJson(WEBHOOK_POLICY.attemptsListed)} from again d join events e on e.event_id = d.event_id) as delivery`,
    once,
    made: sql`select delivery_id from again`,
  })
  if (replayOf) return replay(getDelivery(ctx, credential, replayOf))
  if (!row.endpoint) throw deliveryNotFound(deliveryId)
  if (!row.delivery) throw disabled(row.endpoint)
  wakeWebhooks(ctx, { ...row.endpoint, hooked: true })
  return { made: row.delivery, replayed: false }
}

/** Makes a `ping` event for one endpoint and sends it. NOT_FOUND, CONFLICT for a disabled endpoint. */
export async function sendTest(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  once?: Once,
): Promise<Made<DeliveryRow>> {
  const now = ctx.clock.now()
  const eventId = newId("event", now)
  type Row = { endpoint: EndpointRow | null; delivery: DeliveryRow | null }
  const { row, replayOf } = await queryAs<Row>(ctx, credential, {
    ctes: sql`target as materialized (
      select w.* from webhook_endpoints w, caller where w.webhook_id = ${webhookId} and ${endpointInScope}
      for no key update of w
    ), event as (
      insert into events (event_id, user_id, test, type, space_id, created_by_key_id, data, created_at)
      select ${eventId}, user_id, test, 'ping', space_id, case when scope <> 'all' then key_id end,
        jsonb_build_object('webhook_id', webhook_id), ${now}::timestamptz
      from target where disabled_at is null
      returning *
    ), made as (
      insert into webhook_deliveries (delivery_id, webhook_id, event_id, next_attempt_at, created_at)
      select delivery_id_of(event.event_id, target.webhook_id), target.webhook_id, event.event_id, ${now}::timestamptz,
        ${now}::timestamptz
      from event, target
      returning *
    )`,
    select: sql`select (select to_jsonb(target) from target) as endpoint, (
      select ${deliveryJson(0)} from made d, event e) as delivery`,
    once,
    made: sql`select delivery_id from made`,
  })
  if (replayOf) return replay(getDelivery(ctx, credential, replayOf))
  if (!row.endpoint) throw webhookNotFound(webhookId)
  if (!row.delivery) throw disabled(row.endpoint)
  wakeWebhooks(ctx, { ...row.endpoint, hooked: true })
  return { made: row.delivery, replayed: false }
}

/**
 * Sends the events of a time again, each under its id: those that have failed or were never meant for this endpoint before,
 * and with `include_delivered` those it has accepted. At most `replayBatch` at a time; the cursor goes on. NOT_FOUND, CONFLICT.
 */
export async function replayEvents(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  { cursor, ...input }: Replay & { cursor?: string | undefined },
  once?: Once,
): Promise<Made<Replayed>> {
  const now = ctx.clock.now()
  const filters = { replay: webhookId, ...input }
  const after = decodeCursor(cursor, filters)
  const types = input.events ? JSON.stringify(input.events) : null
  type Row = { endpoint: EndpointRow | null; done: string | null }
  const { row, replayOf } = await queryAs<Row>(ctx, credential, {
    ctes: sql`target as materialized (
      select w.* from webhook_endpoints w, caller where w.webhook_id = ${webhookId} and ${endpointInScope}
      for no key update of w
    ), page as materialized (
      select e.event_id, e.turn_id, e.seq
      from target, caller, lateral (select w from webhook_endpoints w where w.webhook_id = target.webhook_id) as endpoint, events e
      where target.disabled_at is null and e.user_id = caller.user_id and e.test = caller.test
        and ${sql.join(createdBetween("event", [sql.ref("e.event_id"), sql.ref("e.created_at")], { created_after: input.from, created_before: input.to }), sql` and `)}
        ${after ? sql`and e.event_id collate "C" > ${after}` : sql``}
        and endpoint_hears(endpoint.w, e) and (${types}::jsonb is null or ${types}::jsonb ? e.type)
      order by e.event_id collate "C" limit ${WEBHOOK_POLICY.replayBatch + 1}::integer
    ), taken as materialized (
      select * from page order by event_id collate "C" limit ${WEBHOOK_POLICY.replayBatch}::integer
    ), again as (
      insert into webhook_deliveries as d (delivery_id, webhook_id, event_id, turn_id, seq, next_attempt_at, created_at)
      select delivery_id_of(event_id, ${webhookId}), ${webhookId}, event_id, turn_id, seq, ${now}::timestamptz, ${now}::timestamptz
      from taken
      on conflict (webhook_id, event_id) do update set ${startAgain(now)}
        where d.state = 'failed' or (d.state = 'delivered' and ${input.include_delivered})
      returning d.event_id
    ), done as materialized (
      select (select count(*) from again) || '/' || case when (select count(*) from page) > ${WEBHOOK_POLICY.replayBatch}::integer
        then (select max(event_id collate "C") from taken) else '' end as done
      from target where disabled_at is null
    )`,
    select: sql`select (select to_jsonb(target) from target) as endpoint, (select done from done) as done`,
    once,
    made: sql`select done from done`,
  })
  if (replayOf) return { made: replayedOf(replayOf, filters), replayed: true }
  const { endpoint, done } = row
  if (!endpoint) throw webhookNotFound(webhookId)
  if (done === null) throw disabled(endpoint)
  wakeWebhooks(ctx, { ...endpoint, hooked: true })
  return { made: replayedOf(done, filters), replayed: false }
}

/** What a replay has done, from how its statement notes it: `<how many>/<the last event, if it goes on>`. */
function replayedOf(done: string, filters: object): Replayed {
  const [count, last = ""] = done.split("/")
  const { has_more, next_cursor } = toPage([last], { more: last !== "", filters, idOf: (id) => id })
  return { replayed: Number(count), has_more, next_cursor }
}

function disabled({ webhook_id }: EndpointRow): TurnpikeError {
  const message = `The webhook "${webhook_id}" is disabled: switch it on first (PATCH {"enabled": true}).`
  return new TurnpikeError("WEBHOOK_DISABLED", message)
}
