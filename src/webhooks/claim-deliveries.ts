import { sql } from "kysely"
import type { Context } from "../context.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { type EventRow, eventBytes, eventJson } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** A delivery that this run may attempt until its lease ends, with its event. */
export interface ClaimedDelivery extends Pick<JsonRow<"webhook_deliveries">, "delivery_id" | "epoch" | "round"> {
  event: EventRow
}

interface Claimed {
  /** Null when it is gone or disabled. */
  endpoint: EndpointRow | null
  deliveries: ClaimedDelivery[]
  /** The next moment at which something of it is due, if it is not now. */
  next_due_at: string | null
}

/** Notes that the wake has arrived: what is committed behind this asks for another. */
export async function noteWake(ctx: Context, webhookId: string): Promise<void> {
  await sql`update webhook_endpoints set woken_at = null where webhook_id = ${webhookId} and woken_at is not null`.execute(
    ctx.db,
  )
}

/**
 * Takes what is due for an endpoint, the longest due first, each under a lease. Of one turn, an event is due once every earlier
 * one was delivered, has failed or had its first attempts; what another run has is left to it.
 */
export async function claimDeliveries(ctx: Context, webhookId: string): Promise<Claimed> {
  const now = ctx.clock.now()
  const lease = new Date(now.getTime() + WEBHOOK_POLICY.leaseMs)
  const { rows } = await sql<Claimed>`with endpoint as materialized (
      select w.* from webhook_endpoints w
      where w.webhook_id = ${webhookId} and w.deleted_at is null and w.disabled_at is null
    ), room as materialized (
      select least(${WEBHOOK_POLICY.batch}::integer,
        case when endpoint.failing_since is null then ${WEBHOOK_POLICY.inFlight}::integer
          else ${WEBHOOK_POLICY.inFlightFailing}::integer end
        - (select count(*) from webhook_deliveries d where d.webhook_id = ${webhookId} and d.lease_until > ${now}::timestamptz)) as most
      from endpoint
    ), due as materialized (
      select d.delivery_id, d.event_id, d.next_attempt_at from webhook_deliveries d
      where d.webhook_id = ${webhookId} and d.state = 'pending' and d.next_attempt_at <= ${now}::timestamptz
        and (d.lease_until is null or d.lease_until <= ${now}::timestamptz)
        and (select most from room) > 0
        -- A scalar, so that it stays one probe for each row, whatever the planner believes of a backlog.
        and (select true from webhook_deliveries b where b.webhook_id = ${webhookId} and b.turn_id = d.turn_id
          and b.seq < d.seq and b.state = 'pending' and b.round < ${WEBHOOK_POLICY.attemptsBeforeNext}::integer limit 1) is null
      order by d.next_attempt_at, d.event_id collate "C"
      limit ${WEBHOOK_POLICY.batch}::integer
      for update of d skip locked
    ), sized as materialized (
      select due.delivery_id, row_number() over by_time as place,
        sum(${eventBytes}) over (by_time rows unbounded preceding) as bytes
      from due join events e on e.event_id = due.event_id left join turns t on t.turn_id = e.turn_id
      window by_time as (order by due.next_attempt_at, due.event_id collate "C")
    ), claimed as (
      update webhook_deliveries d set epoch = d.epoch + 1, lease_until = ${lease}::timestamptz
      from sized where d.delivery_id = sized.delivery_id and sized.place <= (select most from room)
        and (sized.place = 1 or sized.bytes <= ${WEBHOOK_POLICY.batchBytes}::integer)
      returning d.*
    )
    select (select to_jsonb(endpoint) from endpoint) as endpoint,
      coalesce((select jsonb_agg(jsonb_build_object('delivery_id', d.delivery_id, 'epoch', d.epoch, 'round', d.round,
          'event', ${eventJson}) order by d.next_attempt_at, d.event_id collate "C")
        from claimed d join events e on e.event_id = d.event_id
          left join turns t on t.turn_id = e.turn_id left join spaces s on s.space_id = t.space_id), '[]') as deliveries,
      (select d.next_attempt_at from webhook_deliveries d where d.webhook_id = ${webhookId} and d.state = 'pending'
        and d.next_attempt_at > ${now}::timestamptz and exists (select 1 from endpoint)
        order by d.next_attempt_at limit 1) as next_due_at`.execute(ctx.db)
  return rows[0] as Claimed
}

/** Gives back what a run has claimed and not begun. */
export async function releaseDeliveries(ctx: Context, deliveries: ClaimedDelivery[]): Promise<void> {
  const mine = deliveries.map(({ delivery_id, epoch }) => ({ delivery_id, epoch }))
  await sql`update webhook_deliveries d set lease_until = null
    from jsonb_to_recordset(${JSON.stringify(mine)}::jsonb) as mine(delivery_id text, epoch integer)
    where d.delivery_id = mine.delivery_id and d.epoch = mine.epoch`.execute(ctx.db)
}
