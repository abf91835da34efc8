import type { Context } from "../actor/context.ts"
import { call, callOne } from "../platform/db.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { EndpointRow } from "./endpoint-row.ts"
import { type EventRow, eventRowOf } from "./event-payload.ts"
import { WEBHOOK_POLICY } from "./policies.ts"

/** A delivery that this run may attempt until its lease ends, with its event. */
export interface ClaimedDelivery extends Pick<JsonRow<"webhook_deliveries">, "delivery_id" | "epoch" | "round"> {
  event: EventRow
}

export interface ClaimedEndpoint extends EndpointRow {
  /** All sealed secrets that sign now, newest first. */
  secrets: string[]
}

interface Claimed {
  /** Null if the endpoint was removed or disabled. */
  endpoint: ClaimedEndpoint | null
  deliveries: ClaimedDelivery[]
  /** When the next delivery is due, if none is due now. */
  next_due_at: Date | null
}

/** Records that the wake has arrived. Deliveries that commit later request another wake. */
export async function noteWake(ctx: Context, webhookId: string): Promise<void> {
  await call(ctx.db, "note_wake", { webhook_id: webhookId })
}

/**
 * Claims due deliveries of an endpoint under a lease, those due longest first. Skips deliveries
 * that another run holds.
 */
export async function claimDeliveries(ctx: Context, webhookId: string): Promise<Claimed> {
  const now = ctx.clock.now()
  const claimed = await callOne(ctx.db, "claim_deliveries", {
    webhook_id: webhookId,
    batch: WEBHOOK_POLICY.batch,
    batch_bytes: WEBHOOK_POLICY.batchBytes,
    in_flight: WEBHOOK_POLICY.inFlight,
    in_flight_failing: WEBHOOK_POLICY.inFlightFailing,
    host_rate: WEBHOOK_POLICY.hostRate.live.perSecond,
    host_burst: WEBHOOK_POLICY.hostRate.live.burst,
    test_host_rate: WEBHOOK_POLICY.hostRate.test.perSecond,
    test_host_burst: WEBHOOK_POLICY.hostRate.test.burst,
    lease_until: new Date(now.getTime() + WEBHOOK_POLICY.leaseMs),
    moment: now,
  })
  const { endpoint, secrets, deliveries, next_due_at } = claimed
  return {
    endpoint: endpoint && ({ ...endpoint, secrets } as ClaimedEndpoint),
    deliveries: (deliveries ?? []).map(({ full_event, ...delivery }) => ({
      ...delivery,
      event: eventRowOf(full_event),
    })),
    next_due_at,
  }
}

/** Releases deliveries that a run has claimed but not started. */
export async function releaseDeliveries(ctx: Context, deliveries: ClaimedDelivery[]): Promise<void> {
  await call(ctx.db, "release_deliveries", {
    deliveries: deliveries.map(({ delivery_id, epoch }) => ({ delivery_id, epoch })),
  })
}
