import { TurnpikeError } from "../base/errors.ts"
import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Delivery } from "./schemas.ts"
import { FIXED_HEADERS, identityHeaders } from "./signing.ts"

/** A row of `webhook_deliveries` as to_jsonb returns it, with its event's type and its attempts, oldest first. */
export interface DeliveryRow extends Omit<JsonRow<"webhook_deliveries">, "state" | "status_reason" | "attempts"> {
  state: Delivery["state"]
  status_reason: Delivery["status_reason"]
  attempts: number
  event_type: string
  attempts_made: JsonRow<"webhook_attempts">[]
}

/** The delivery that a procedure has returned. */
export function deliveryRowOf(
  delivery: JsonRow<"webhook_deliveries"> | null,
  eventType: string,
  attempts: JsonRow<"webhook_attempts">[],
): DeliveryRow {
  if (!delivery) throw new Error("nothing was refused, and there is no delivery")
  return { ...delivery, event_type: eventType, attempts_made: attempts } as DeliveryRow
}

export function serializeDelivery(row: DeliveryRow): Delivery {
  return {
    delivery_id: row.delivery_id,
    webhook_id: row.webhook_id,
    event_id: row.event_id,
    event_type: row.event_type,
    turn_id: row.turn_id,
    state: row.state,
    status_reason: row.status_reason,
    attempt_count: row.attempts,
    attempts: row.attempts_made.map(({ attempt, created_at, status, error, answer, location, duration_ms }) => ({
      attempt,
      created_at: toInstant(created_at),
      status,
      error,
      answer,
      location,
      duration_ms,
      request_headers: { ...FIXED_HEADERS, ...identityHeaders(row.event_id, new Date(created_at)) },
    })),
    next_attempt_at: toInstant(row.next_attempt_at),
    created_at: toInstant(row.created_at),
    finished_at: toInstant(row.finished_at),
  }
}

export function deliveryNotFound(deliveryId: string): TurnpikeError {
  return new TurnpikeError("NOT_FOUND", `There is no delivery "${deliveryId}" that you can see.`)
}
