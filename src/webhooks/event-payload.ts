import { toInstant } from "../base/time.ts"
import type { JsonRow } from "../platform/json-row.ts"
import type { Answers } from "../platform/procedures.ts"
import { type TurnRow, turnRowOf } from "../turns/turn-row.ts"
import { declarationOf, EVENTS, type EventType } from "./event-types.ts"
import type { Event } from "./schemas.ts"

/** A row of `events` with its turn's row. */
export interface EventRow extends Omit<JsonRow<"events">, "type" | "data"> {
  type: EventType
  data: Record<string, unknown>
  turn: TurnRow | null
}

/** Converts an event that a procedure returned, with its turn in a separate column. */
export const eventRowOf = ({ event, turn, slug }: Answers["full_event"]): EventRow =>
  ({ ...event, turn: turnRowOf({ turn, slug }) }) as EventRow

/** An event as webhooks and the feed show it. The result is the same at every attempt. */
export function serializeEvent(row: EventRow): Event {
  return {
    id: row.event_id,
    type: row.type,
    created_at: toInstant(row.created_at),
    seq: row.seq,
    // During a deployment, a worker may read a type that it does not know yet.
    data: row.type in EVENTS ? declarationOf(row.type).serialize(row) : row.data,
  }
}
