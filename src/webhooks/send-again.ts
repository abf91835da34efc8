import type { Actor, Credential } from "../actor/actor.ts"
import { callOnce } from "../actor/call-as.ts"
import type { Context } from "../actor/context.ts"
import { type Made, type Once, replay } from "../actor/once.ts"
import { countExceeded } from "../base/counted.ts"
import { TurnpikeError } from "../base/errors.ts"
import { newId } from "../base/ids.ts"
import { decodeCursor, toPage } from "../base/pagination.ts"
import { wakeWebhooks } from "../feed/wake-webhooks.ts"
import { type DeliveryRow, deliveryNotFound, deliveryRowOf } from "./delivery-row.ts"
import { webhookNotFound } from "./endpoint-row.ts"
import { getDelivery } from "./list-deliveries.ts"
import { WEBHOOK_POLICY } from "./policies.ts"
import type { Replay, Replayed } from "./schemas.ts"

interface Sent {
  refused: string | null
  retry_after: number | null
}

const RESENDS = { an_hour: WEBHOOK_POLICY.resendsAnHour.live, test_an_hour: WEBHOOK_POLICY.resendsAnHour.test }

/** Throws the error for a refusal other than `not_found`: WEBHOOK_DISABLED or QUOTA_EXCEEDED. */
function throwRefused({ refused, retry_after }: Sent, webhookId: string, { test }: Actor): void {
  if (refused === "limited") {
    const limit = test ? RESENDS.test_an_hour : RESENDS.an_hour
    throw countExceeded({ cap: "resent_events", limit, used: limit }, retry_after ?? 1)
  }
  if (refused) throw disabled(webhookId)
}

export const REDELIVER_ERRORS = ["NOT_FOUND", "WEBHOOK_DISABLED", "QUOTA_EXCEEDED", "IDEMPOTENCY_KEY_REUSED"] as const

/**
 * Sends a delivery's event again with the same id, whatever its state. Throws NOT_FOUND,
 * WEBHOOK_DISABLED or QUOTA_EXCEEDED.
 */
export async function redeliver(
  ctx: Context,
  credential: Credential,
  deliveryId: string,
  once?: Once,
): Promise<Made<DeliveryRow>> {
  const { actor, row, replayOf } = await callOnce(ctx, credential, "redeliver_event", {
    once,
    args: { delivery_id: deliveryId, attempts_listed: WEBHOOK_POLICY.attemptsListed, ...RESENDS },
  })
  if (replayOf) return replay(getDelivery(ctx, credential, replayOf))
  if (row.refused === "not_found") throw deliveryNotFound(deliveryId)
  throwRefused(row, row.webhook_id ?? "", actor)
  wakeWebhooks(ctx, { ...actor, has_subscriber: true })
  return { made: deliveryRowOf(row.delivery, row.event_type ?? "", row.attempts ?? []), replayed: false }
}

export const SEND_TEST_ERRORS = ["NOT_FOUND", "WEBHOOK_DISABLED", "QUOTA_EXCEEDED", "IDEMPOTENCY_KEY_REUSED"] as const

/** Creates a `ping` event for one endpoint and sends it. Throws NOT_FOUND, WEBHOOK_DISABLED or QUOTA_EXCEEDED. */
export async function sendTest(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  once?: Once,
): Promise<Made<DeliveryRow>> {
  const { actor, row, replayOf } = await callOnce(ctx, credential, "send_ping", {
    once,
    args: { webhook_id: webhookId, event_id: newId("event", ctx.clock.now()), ...RESENDS },
  })
  if (replayOf) return replay(getDelivery(ctx, credential, replayOf))
  if (row.refused === "not_found") throw webhookNotFound(webhookId)
  throwRefused(row, webhookId, actor)
  wakeWebhooks(ctx, { ...actor, has_subscriber: true })
  return { made: deliveryRowOf(row.delivery, "ping", []), replayed: false }
}

export const REPLAY_EVENTS_ERRORS = ["NOT_FOUND", "WEBHOOK_DISABLED", "QUOTA_EXCEEDED"] as const

/**
 * Sends the events of a period again: failed and unsent ones, and with `include_delivered` also
 * accepted ones. Sends at most `replayBatch` events; the cursor continues. Throws NOT_FOUND,
 * WEBHOOK_DISABLED or QUOTA_EXCEEDED.
 */
export async function replayEvents(
  ctx: Context,
  credential: Credential,
  webhookId: string,
  { cursor, ...input }: Replay & { cursor?: string | undefined },
  once?: Once,
): Promise<Made<Replayed>> {
  const filters = { replay: webhookId, ...input }
  const { actor, row, replayOf } = await callOnce<"replay_events", Sent & { done: string }>(
    ctx,
    credential,
    "replay_events",
    {
      once,
      args: {
        webhook_id: webhookId,
        from: new Date(input.from),
        to: input.to === undefined ? null : new Date(input.to),
        after: decodeCursor(cursor, filters) ?? null,
        types: input.events ?? null,
        include_delivered: input.include_delivered,
        most: WEBHOOK_POLICY.replayBatch,
        ...RESENDS,
      },
    },
  )
  if (replayOf) return { made: replayedOf(replayOf, filters), replayed: true }
  if (row.refused === "not_found") throw webhookNotFound(webhookId)
  throwRefused(row, webhookId, actor)
  wakeWebhooks(ctx, { ...actor, has_subscriber: true })
  return { made: replayedOf(row.done, filters), replayed: false }
}

/** Parses a replay's result, as its procedure records it: `<count>/<the last event, if the period has more>`. */
function replayedOf(done: string, filters: object): Replayed {
  const [count, last = ""] = done.split("/")
  const { has_more, next_cursor } = toPage([last], { more: last !== "", filters, idOf: (id) => id })
  return { replayed: Number(count), has_more, next_cursor }
}

function disabled(webhookId: string): TurnpikeError {
  const message = `The webhook "${webhookId}" is disabled. Enable it first (PATCH {"enabled": true}).`
  return new TurnpikeError("WEBHOOK_DISABLED", message)
}
